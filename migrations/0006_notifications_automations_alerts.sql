CREATE TABLE `alert_counts` (
	`rule_name` text NOT NULL,
	`minute_ms` integer NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`rule_name`, `minute_ms`)
);
--> statement-breakpoint
CREATE TABLE `alert_history` (
	`history_id` text PRIMARY KEY NOT NULL,
	`rule_name` text NOT NULL,
	`kind` text NOT NULL,
	`severity` text NOT NULL,
	`value` real,
	`threshold` real NOT NULL,
	`evaluations` integer NOT NULL,
	`message` text NOT NULL,
	`first_at_ms` integer NOT NULL,
	`last_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `alert_history_at` ON `alert_history` (`first_at_ms`,`history_id`);--> statement-breakpoint
CREATE INDEX `alert_history_rule` ON `alert_history` (`rule_name`,`first_at_ms`);--> statement-breakpoint
CREATE TABLE `alert_rules` (
	`name` text PRIMARY KEY NOT NULL,
	`condition` text NOT NULL,
	`last_fired_at_ms` integer,
	`history_id` text
);
--> statement-breakpoint
CREATE TABLE `automation_runs` (
	`run_id` text PRIMARY KEY NOT NULL,
	`automation_name` text NOT NULL,
	`mode` text NOT NULL,
	`trigger` text NOT NULL,
	`actor` text NOT NULL,
	`status` text NOT NULL,
	`step` text NOT NULL,
	`work` text NOT NULL,
	`due_at_ms` integer NOT NULL,
	`started_at_ms` integer NOT NULL,
	`ended_at_ms` integer,
	`tracker` text,
	`issue_id` text,
	`identifier` text,
	`message` text,
	`report` text
);
--> statement-breakpoint
CREATE INDEX `automation_runs_started` ON `automation_runs` (`started_at_ms`,`run_id`);--> statement-breakpoint
CREATE INDEX `automation_runs_name` ON `automation_runs` (`automation_name`,`started_at_ms`);--> statement-breakpoint
CREATE UNIQUE INDEX `automation_runs_running` ON `automation_runs` (`automation_name`) WHERE status = 'running';--> statement-breakpoint
CREATE TABLE `automation_timers` (
	`name` text PRIMARY KEY NOT NULL,
	`schedule` text NOT NULL,
	`next_run_at_ms` integer
);
--> statement-breakpoint
CREATE INDEX `automation_timers_due` ON `automation_timers` (`next_run_at_ms`);--> statement-breakpoint
CREATE TABLE `notification_channels` (
	`name` text PRIMARY KEY NOT NULL,
	`due_at_ms` integer,
	`delivered` integer DEFAULT 0 NOT NULL,
	`failures_in_a_row` integer DEFAULT 0 NOT NULL,
	`last_success_at_ms` integer,
	`last_error_at_ms` integer,
	`last_error` text
);
--> statement-breakpoint
CREATE TABLE `notifications` (
	`notification_id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`severity` text NOT NULL,
	`message` text NOT NULL,
	`issue` text,
	`attempt` integer,
	`metadata` text NOT NULL,
	`dedupe` text NOT NULL,
	`dedupe_key` text,
	`channels` text,
	`created_at_ms` integer NOT NULL,
	`read_at_ms` integer,
	`spread_at_ms` integer
);
--> statement-breakpoint
CREATE INDEX `notifications_created` ON `notifications` (`created_at_ms`,`notification_id`);--> statement-breakpoint
CREATE INDEX `notifications_dedupe` ON `notifications` (`dedupe`,`created_at_ms`);--> statement-breakpoint
CREATE INDEX `notifications_unread` ON `notifications` (`created_at_ms`) WHERE read_at_ms is null;--> statement-breakpoint
CREATE INDEX `notifications_unspread` ON `notifications` (`created_at_ms`) WHERE spread_at_ms is null;--> statement-breakpoint
ALTER TABLE `issues` ADD `repository_url` text;--> statement-breakpoint
ALTER TABLE `issues` ADD `read_only` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `issues` ADD `queued_since_ms` integer;