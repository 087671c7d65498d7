CREATE TABLE `pull_request_feedback` (
	`pull_request_id` text NOT NULL,
	`round` integer NOT NULL,
	`tracker` text NOT NULL,
	`issue_id` text NOT NULL,
	`keys` text NOT NULL,
	`body` text NOT NULL,
	`started` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`pull_request_id`, `round`)
);
--> statement-breakpoint
CREATE INDEX `pull_request_feedback_issue` ON `pull_request_feedback` (`tracker`,`issue_id`,`created_at_ms`);--> statement-breakpoint
ALTER TABLE `pull_requests` ADD `url` text;--> statement-breakpoint
ALTER TABLE `pull_requests` ADD `looked_at_ms` integer;