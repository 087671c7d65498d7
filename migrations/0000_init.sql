CREATE TABLE `attempts` (
	`attempt_id` text PRIMARY KEY NOT NULL,
	`tracker` text NOT NULL,
	`issue_id` text NOT NULL,
	`identifier` text NOT NULL,
	`issue_state` text NOT NULL,
	`number` integer NOT NULL,
	`status` text NOT NULL,
	`phase` text,
	`outcome` text,
	`failure_kind` text,
	`error_message` text,
	`runner_id` text,
	`epoch` integer DEFAULT 0 NOT NULL,
	`attempt_token_hash` text,
	`offer_expires_at_ms` integer,
	`granted_at_ms` integer,
	`not_held_since_ms` integer,
	`released_at_ms` integer,
	`loss_count` integer DEFAULT 0 NOT NULL,
	`cancel_reason` text,
	`cancel_kind` text,
	`cancel_requested_at_ms` integer,
	`last_seq` integer DEFAULT 0 NOT NULL,
	`digest` text NOT NULL,
	`spec` text NOT NULL,
	`thread_id` text,
	`turn_id` text,
	`turn_count` integer DEFAULT 0 NOT NULL,
	`model` text,
	`reasoning_effort` text,
	`repository_url` text NOT NULL,
	`base_branch` text,
	`base_commit` text,
	`branch` text,
	`commit_sha` text,
	`diff_stat` text,
	`diff_blob` text,
	`pull_request_url` text,
	`summary` text,
	`marker` text,
	`tokens` text NOT NULL,
	`cost_usd` real,
	`queued_at_ms` integer NOT NULL,
	`started_at_ms` integer,
	`ended_at_ms` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `attempts_issue_number` ON `attempts` (`tracker`,`issue_id`,`number`);--> statement-breakpoint
CREATE INDEX `attempts_live` ON `attempts` (`status`,`runner_id`);--> statement-breakpoint
CREATE INDEX `attempts_queued_at` ON `attempts` (`queued_at_ms`);--> statement-breakpoint
CREATE TABLE `audit` (
	`entry` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at_ms` integer NOT NULL,
	`actor` text NOT NULL,
	`source` text NOT NULL,
	`operation` text NOT NULL,
	`path` text NOT NULL,
	`subject` text,
	`request_id` text,
	`details` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_at` ON `audit` (`at_ms`);--> statement-breakpoint
CREATE TABLE `checkpoints` (
	`checkpoint_id` text PRIMARY KEY NOT NULL,
	`attempt_id` text NOT NULL,
	`tracker` text NOT NULL,
	`issue_id` text NOT NULL,
	`epoch` integer NOT NULL,
	`ordinal` integer NOT NULL,
	`trigger` text NOT NULL,
	`event_seq` integer NOT NULL,
	`thread_id` text,
	`turn_id` text,
	`commit_sha` text,
	`base_commit` text,
	`diff_blob` text,
	`diff_stat` text,
	`session_blob` text,
	`tokens` text NOT NULL,
	`created_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `checkpoints_attempt` ON `checkpoints` (`attempt_id`,`epoch`,`ordinal`);--> statement-breakpoint
CREATE INDEX `checkpoints_issue` ON `checkpoints` (`tracker`,`issue_id`,`created_at_ms`);--> statement-breakpoint
CREATE TABLE `config_overlay` (
	`id` integer PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`version` integer NOT NULL,
	`updated_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `facts` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`updated_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `blobs` (
	`key` text NOT NULL,
	`part` integer NOT NULL,
	`parts` integer NOT NULL,
	`bytes` blob NOT NULL,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`key`, `part`)
);
--> statement-breakpoint
CREATE TABLE `counters` (
	`name` text PRIMARY KEY NOT NULL,
	`value` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `event_chunks` (
	`first_seq` integer PRIMARY KEY NOT NULL,
	`last_seq` integer NOT NULL,
	`attempt_id` text,
	`epoch` integer,
	`from_runner_seq` integer,
	`at_ms` integer NOT NULL,
	`items` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `event_chunks_attempt` ON `event_chunks` (`attempt_id`,`epoch`,`from_runner_seq`);--> statement-breakpoint
CREATE TABLE `issues` (
	`tracker` text NOT NULL,
	`id` text NOT NULL,
	`identifier` text NOT NULL,
	`title` text NOT NULL,
	`description` text,
	`priority` integer,
	`state` text NOT NULL,
	`branch_name` text,
	`url` text,
	`labels` text NOT NULL,
	`assignee_id` text,
	`blocked_by` text NOT NULL,
	`dispatchable` integer NOT NULL,
	`native_ref` text,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	`status` text DEFAULT 'idle' NOT NULL,
	`reason` text,
	`current_attempt_id` text,
	`attempt_count` integer DEFAULT 0 NOT NULL,
	`run_count` integer DEFAULT 0 NOT NULL,
	`failure_count` integer DEFAULT 0 NOT NULL,
	`next_retry_at_ms` integer,
	`model` text,
	`reasoning_effort` text,
	`template_id` text,
	`thread_id` text,
	`branch` text,
	`pull_request_url` text,
	`tokens` text NOT NULL,
	`cost_usd` real,
	`parked_fingerprint` text,
	`parked_kind` text,
	`budget_from_tokens` integer DEFAULT 0 NOT NULL,
	`budget_from_attempts` integer DEFAULT 0 NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	PRIMARY KEY(`tracker`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `issues_identifier` ON `issues` (`identifier`);--> statement-breakpoint
CREATE INDEX `issues_status` ON `issues` (`status`,`next_retry_at_ms`);--> statement-breakpoint
CREATE TABLE `leader` (
	`id` integer PRIMARY KEY NOT NULL,
	`instance_id` text NOT NULL,
	`holder` text NOT NULL,
	`term` integer NOT NULL,
	`until_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `recovery_reports` (
	`report_id` text PRIMARY KEY NOT NULL,
	`instance_id` text NOT NULL,
	`started_at_ms` integer NOT NULL,
	`found` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `recovery_reports_started` ON `recovery_reports` (`started_at_ms`);--> statement-breakpoint
CREATE TABLE `local_attachments` (
	`issue_id` text NOT NULL,
	`url` text NOT NULL,
	`title` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`issue_id`, `url`)
);
--> statement-breakpoint
CREATE TABLE `local_comments` (
	`id` text PRIMARY KEY NOT NULL,
	`issue_id` text NOT NULL,
	`service_key` text,
	`author` text NOT NULL,
	`body` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `local_comments_issue` ON `local_comments` (`issue_id`,`created_at_ms`);--> statement-breakpoint
CREATE TABLE `local_issues` (
	`id` text PRIMARY KEY NOT NULL,
	`number` integer NOT NULL,
	`identifier` text NOT NULL,
	`title` text NOT NULL,
	`description` text,
	`state` text NOT NULL,
	`priority` integer,
	`labels` text NOT NULL,
	`blocked_by` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `local_issues_number_unique` ON `local_issues` (`number`);--> statement-breakpoint
CREATE UNIQUE INDEX `local_issues_identifier_unique` ON `local_issues` (`identifier`);--> statement-breakpoint
CREATE INDEX `local_issues_state` ON `local_issues` (`state`);--> statement-breakpoint
CREATE TABLE `outbox` (
	`key` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`tracker` text,
	`issue_id` text,
	`attempt_id` text,
	`payload` text NOT NULL,
	`status` text DEFAULT 'pending' NOT NULL,
	`revision` integer DEFAULT 1 NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`next_try_at_ms` integer NOT NULL,
	`last_error` text,
	`created_at_ms` integer NOT NULL,
	`done_at_ms` integer
);
--> statement-breakpoint
CREATE INDEX `outbox_due` ON `outbox` (`status`,`next_try_at_ms`);--> statement-breakpoint
CREATE INDEX `outbox_done` ON `outbox` (`done_at_ms`);--> statement-breakpoint
CREATE TABLE `timers` (
	`name` text PRIMARY KEY NOT NULL,
	`due_at_ms` integer NOT NULL,
	`payload` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `upstream_pauses` (
	`upstream` text PRIMARY KEY NOT NULL,
	`reason` text NOT NULL,
	`failures` integer NOT NULL,
	`due_at_ms` integer NOT NULL,
	`canary_attempt_id` text,
	`since_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `pull_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`number` integer NOT NULL,
	`code_host` text NOT NULL,
	`repository_url` text NOT NULL,
	`branch` text NOT NULL,
	`base` text NOT NULL,
	`base_commit` text NOT NULL,
	`commit_sha` text NOT NULL,
	`title` text NOT NULL,
	`body` text NOT NULL,
	`draft` integer NOT NULL,
	`status` text NOT NULL,
	`merge_commit_sha` text,
	`diff_stat` text NOT NULL,
	`diff_blob` text,
	`issue_identifier` text NOT NULL,
	`attempt_id` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `pull_requests_branch` ON `pull_requests` (`repository_url`,`branch`,`status`);--> statement-breakpoint
CREATE INDEX `pull_requests_host` ON `pull_requests` (`code_host`,`created_at_ms`);--> statement-breakpoint
CREATE INDEX `pull_requests_issue` ON `pull_requests` (`issue_identifier`);--> statement-breakpoint
CREATE TABLE `requests` (
	`request_id` text PRIMARY KEY NOT NULL,
	`attempt_id` text NOT NULL,
	`epoch` integer NOT NULL,
	`identifier` text NOT NULL,
	`engine_request_id` text NOT NULL,
	`state` text NOT NULL,
	`questions` text NOT NULL,
	`answers` text,
	`answered_by` text,
	`asked_at_ms` integer NOT NULL,
	`answered_at_ms` integer,
	`expires_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `requests_attempt` ON `requests` (`attempt_id`,`state`);--> statement-breakpoint
CREATE INDEX `requests_state` ON `requests` (`state`,`expires_at_ms`);--> statement-breakpoint
CREATE TABLE `steers` (
	`message_id` text PRIMARY KEY NOT NULL,
	`attempt_id` text NOT NULL,
	`body` text NOT NULL,
	`actor` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`delivered_at_ms` integer
);
--> statement-breakpoint
CREATE INDEX `steers_attempt` ON `steers` (`attempt_id`,`delivered_at_ms`);--> statement-breakpoint
CREATE TABLE `join_tokens` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`labels` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	`used_at_ms` integer,
	`runner_id` text
);
--> statement-breakpoint
CREATE INDEX `join_tokens_expiry` ON `join_tokens` (`expires_at_ms`);--> statement-breakpoint
CREATE TABLE `runners` (
	`runner_id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`signing_key` text NOT NULL,
	`sealing_key` text NOT NULL,
	`allowed_labels` text NOT NULL,
	`labels` text NOT NULL,
	`slots_total` integer DEFAULT 0 NOT NULL,
	`slots_free` integer DEFAULT 0 NOT NULL,
	`isolation` text,
	`version` text NOT NULL,
	`engine_version` text,
	`warnings` text NOT NULL,
	`session` integer DEFAULT 0 NOT NULL,
	`instance_id` text,
	`boot_id` text,
	`connected` integer DEFAULT false NOT NULL,
	`draining` integer DEFAULT false NOT NULL,
	`lease_until_ms` integer,
	`last_seen_at_ms` integer,
	`joined_at_ms` integer NOT NULL,
	`revoked_at_ms` integer
);
--> statement-breakpoint
CREATE TABLE `thread_usage` (
	`thread_id` text PRIMARY KEY NOT NULL,
	`tracker` text NOT NULL,
	`issue_id` text NOT NULL,
	`model` text,
	`tokens` text NOT NULL,
	`cost_usd` real,
	`updated_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `thread_usage_issue` ON `thread_usage` (`tracker`,`issue_id`);--> statement-breakpoint
CREATE TABLE `usage_days` (
	`day` text PRIMARY KEY NOT NULL,
	`tokens` integer NOT NULL,
	`cost_usd` real NOT NULL
);
