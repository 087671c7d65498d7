CREATE TABLE `attempt_artifacts` (
	`attempt_id` text PRIMARY KEY NOT NULL,
	`files` text NOT NULL,
	`left_out` integer NOT NULL,
	`stored_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `attempt_artifacts_stored` ON `attempt_artifacts` (`stored_at_ms`);--> statement-breakpoint
ALTER TABLE `attempts` ADD `outside_scope` text;--> statement-breakpoint
CREATE INDEX `blobs_created` ON `blobs` (`created_at_ms`);--> statement-breakpoint
CREATE INDEX `attempt_checks_output` ON `attempt_checks` (`ended_at_ms`) WHERE "attempt_checks"."output" is not null;