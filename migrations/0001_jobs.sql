CREATE TABLE `jobs` (
	`key` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`queue` text,
	`tracker` text,
	`issue_id` text,
	`attempt_id` text,
	`payload` text NOT NULL,
	`status` text DEFAULT 'pending' NOT NULL,
	`revision` integer DEFAULT 1 NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`due_at_ms` integer NOT NULL,
	`last_error` text,
	`created_at_ms` integer NOT NULL,
	`done_at_ms` integer
);--> statement-breakpoint
CREATE INDEX `jobs_due` ON `jobs` (`status`,`due_at_ms`);--> statement-breakpoint
CREATE INDEX `jobs_done` ON `jobs` (`done_at_ms`);--> statement-breakpoint
CREATE INDEX `jobs_issue` ON `jobs` (`issue_id`,`created_at_ms`);--> statement-breakpoint
CREATE INDEX `jobs_queue` ON `jobs` (`queue`,`created_at_ms`,`key`) WHERE "jobs"."status" = 'pending';--> statement-breakpoint
INSERT INTO `jobs` (`key`, `kind`, `tracker`, `issue_id`, `attempt_id`, `payload`, `status`, `revision`, `tries`, `due_at_ms`, `last_error`, `created_at_ms`, `done_at_ms`)
SELECT `key`, `kind`, `tracker`, `issue_id`, `attempt_id`, `payload`, `status`, `revision`, `tries`, `next_try_at_ms`, `last_error`, `created_at_ms`, `done_at_ms` FROM `outbox`;--> statement-breakpoint
DROP TABLE `outbox`;--> statement-breakpoint
DROP TABLE `timers`;--> statement-breakpoint
ALTER TABLE `notification_channels` DROP COLUMN `due_at_ms`;--> statement-breakpoint
ALTER TABLE `held_workspaces` DROP COLUMN `tries`;--> statement-breakpoint
ALTER TABLE `held_workspaces` DROP COLUMN `due_at_ms`;
