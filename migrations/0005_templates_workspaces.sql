CREATE TABLE `templates` (
	`template_id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`body` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `templates_name` ON `templates` (`name_key`);--> statement-breakpoint
CREATE TABLE `transitions` (
	`entry` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tracker` text NOT NULL,
	`issue_id` text NOT NULL,
	`identifier` text NOT NULL,
	`from_state` text NOT NULL,
	`to_state` text NOT NULL,
	`reason` text,
	`actor` text NOT NULL,
	`at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `transitions_identifier` ON `transitions` (`identifier`,`entry`);--> statement-breakpoint
CREATE INDEX `transitions_at` ON `transitions` (`at_ms`);--> statement-breakpoint
CREATE TABLE `workspaces` (
	`runner_id` text NOT NULL,
	`key` text NOT NULL,
	`path` text NOT NULL,
	`identifier` text NOT NULL,
	`disk_bytes` integer NOT NULL,
	`disk_complete` integer NOT NULL,
	`last_modified_at_ms` integer NOT NULL,
	`in_use` integer NOT NULL,
	`reported_at_ms` integer NOT NULL,
	PRIMARY KEY(`runner_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `workspaces_key` ON `workspaces` (`key`);