CREATE TABLE `merge_queue` (
	`pull_request_id` text PRIMARY KEY NOT NULL,
	`repository_url` text NOT NULL,
	`base` text NOT NULL,
	`tracker` text NOT NULL,
	`issue_id` text NOT NULL,
	`state` text NOT NULL,
	`commit_sha` text NOT NULL,
	`entered_by` text NOT NULL,
	`entered_at_ms` integer NOT NULL,
	`attempt_id` text,
	`tries` integer DEFAULT 0 NOT NULL,
	`not_before_ms` integer,
	`reason` text NOT NULL,
	`reason_code` text NOT NULL,
	`updated_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `merge_queue_base` ON `merge_queue` (`repository_url`,`base`);--> statement-breakpoint
ALTER TABLE `runners` ADD `features` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `issues` ADD `merging` text;