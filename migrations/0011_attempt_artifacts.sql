CREATE TABLE `attempt_artifacts` (
	`attempt_id` text PRIMARY KEY NOT NULL,
	`files` text NOT NULL,
	`left_out` integer NOT NULL,
	`stored_at_ms` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `attempts` ADD `outside_scope` text;--> statement-breakpoint
CREATE INDEX `attempt_checks_output` ON `attempt_checks` (`ended_at_ms`) WHERE "attempt_checks"."output" is not null;