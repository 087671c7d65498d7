CREATE TABLE `reviews` (
	`pull_request_id` text NOT NULL,
	`number` integer NOT NULL,
	`tracker` text NOT NULL,
	`issue_id` text NOT NULL,
	`commit_sha` text NOT NULL,
	`state` text NOT NULL,
	`verdict` text,
	`summary` text,
	`findings` text,
	`findings_left_out` integer DEFAULT 0 NOT NULL,
	`returned` integer DEFAULT false NOT NULL,
	`asked_by` text NOT NULL,
	`attempt_id` text,
	`tries` integer DEFAULT 0 NOT NULL,
	`not_before_ms` integer,
	`reason` text NOT NULL,
	`reason_code` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`pull_request_id`, `number`)
);
--> statement-breakpoint
CREATE INDEX `reviews_unfinished` ON `reviews` (`state`) WHERE "reviews"."state" in ('waiting', 'running');--> statement-breakpoint
ALTER TABLE `issues` ADD `reviewing` text;