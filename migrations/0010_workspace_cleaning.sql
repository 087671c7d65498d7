CREATE TABLE `held_workspaces` (
	`runner_id` text NOT NULL,
	`key` text NOT NULL,
	`tracker` text NOT NULL,
	`issue_id` text NOT NULL,
	`revision` integer DEFAULT 1 NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`due_at_ms` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`runner_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `held_workspaces_issue` ON `held_workspaces` (`tracker`,`issue_id`);--> statement-breakpoint
ALTER TABLE `steers` ADD `carried_by` text;--> statement-breakpoint
CREATE INDEX `issues_blocked_by` ON `issues` (`tracker`) WHERE "issues"."blocked_by" <> '[]';--> statement-breakpoint
CREATE INDEX `local_issues_updated` ON `local_issues` (`updated_at_ms`);