CREATE TABLE `api_tokens` (
	`token_id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`scope` text NOT NULL,
	`token_hash` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`created_by` text NOT NULL,
	`last_used_at_ms` integer
);--> statement-breakpoint
CREATE UNIQUE INDEX `api_tokens_name_unique` ON `api_tokens` (`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `api_tokens_token_hash_unique` ON `api_tokens` (`token_hash`);--> statement-breakpoint
CREATE TABLE `config_overlay` (
	`id` integer PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`version` integer NOT NULL,
	`updated_at_ms` integer NOT NULL
);--> statement-breakpoint
CREATE TABLE `facts` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`updated_at_ms` integer NOT NULL
);--> statement-breakpoint
CREATE TABLE `secrets` (
	`key` text PRIMARY KEY NOT NULL,
	`master_key_id` text NOT NULL,
	`nonce` blob NOT NULL,
	`ciphertext` blob NOT NULL,
	`version` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL
);--> statement-breakpoint
CREATE INDEX `secrets_master_key` ON `secrets` (`master_key_id`);--> statement-breakpoint
CREATE TABLE `templates` (
	`template_id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`body` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL
);--> statement-breakpoint
CREATE UNIQUE INDEX `templates_name` ON `templates` (`name_key`);--> statement-breakpoint
CREATE TABLE `audit_chain` (
	`entry` integer PRIMARY KEY NOT NULL,
	`hash` text NOT NULL
);--> statement-breakpoint
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
);--> statement-breakpoint
CREATE INDEX `audit_at` ON `audit` (`at_ms`);--> statement-breakpoint
CREATE TABLE `blobs` (
	`key` text NOT NULL,
	`part` integer NOT NULL,
	`parts` integer NOT NULL,
	`bytes` blob NOT NULL,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`key`, `part`)
);--> statement-breakpoint
CREATE TABLE `counters` (
	`name` text PRIMARY KEY NOT NULL,
	`value` integer NOT NULL
);--> statement-breakpoint
CREATE TABLE `event_chunks` (
	`first_seq` integer PRIMARY KEY NOT NULL,
	`last_seq` integer NOT NULL,
	`attempt_id` text,
	`epoch` integer,
	`from_runner_seq` integer,
	`at_ms` integer NOT NULL,
	`items` text NOT NULL
);--> statement-breakpoint
CREATE INDEX `event_chunks_attempt` ON `event_chunks` (`attempt_id`,`epoch`,`from_runner_seq`);--> statement-breakpoint
CREATE TABLE `leader` (
	`id` integer PRIMARY KEY NOT NULL,
	`instance_id` text NOT NULL,
	`holder` text NOT NULL,
	`term` integer NOT NULL,
	`until_ms` integer NOT NULL
);--> statement-breakpoint
CREATE TABLE `recovery_reports` (
	`report_id` text PRIMARY KEY NOT NULL,
	`instance_id` text NOT NULL,
	`started_at_ms` integer NOT NULL,
	`found` text NOT NULL
);--> statement-breakpoint
CREATE INDEX `recovery_reports_started` ON `recovery_reports` (`started_at_ms`);--> statement-breakpoint
CREATE TABLE `metric_series` (
	`name` text NOT NULL,
	`labels` text NOT NULL,
	`value` real NOT NULL,
	PRIMARY KEY(`name`, `labels`)
);--> statement-breakpoint
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
);--> statement-breakpoint
CREATE INDEX `outbox_due` ON `outbox` (`status`,`next_try_at_ms`);--> statement-breakpoint
CREATE INDEX `outbox_done` ON `outbox` (`done_at_ms`);--> statement-breakpoint
CREATE INDEX `outbox_issue` ON `outbox` (`issue_id`,`created_at_ms`);--> statement-breakpoint
CREATE TABLE `timers` (
	`name` text PRIMARY KEY NOT NULL,
	`due_at_ms` integer NOT NULL,
	`payload` text NOT NULL
);--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`delivery` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`provider` text NOT NULL,
	`delivery_id` text NOT NULL,
	`event` text NOT NULL,
	`body` text NOT NULL,
	`request_id` text,
	`status` text DEFAULT 'pending' NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`next_try_at_ms` integer NOT NULL,
	`outcome` text,
	`last_error` text,
	`received_at_ms` integer NOT NULL,
	`ended_at_ms` integer
);--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_deliveries_id` ON `webhook_deliveries` (`provider`,`delivery_id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`status`,`next_try_at_ms`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_received` ON `webhook_deliveries` (`provider`,`received_at_ms`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_dead` ON `webhook_deliveries` (`status`,`delivery`) WHERE "webhook_deliveries"."status" = 'dead';--> statement-breakpoint
CREATE INDEX `webhook_deliveries_ended` ON `webhook_deliveries` (`ended_at_ms`) WHERE "webhook_deliveries"."status" <> 'pending';--> statement-breakpoint
CREATE TABLE `agent_activities` (
	`entry` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`activity_id` text NOT NULL,
	`tracker` text NOT NULL,
	`session_id` text NOT NULL,
	`content` text NOT NULL,
	`ephemeral` integer DEFAULT false NOT NULL,
	`options` text,
	`outcome` text NOT NULL,
	`created_at_ms` integer NOT NULL
);--> statement-breakpoint
CREATE UNIQUE INDEX `agent_activities_activity_id_unique` ON `agent_activities` (`activity_id`);--> statement-breakpoint
CREATE INDEX `agent_activities_waiting` ON `agent_activities` (`tracker`,`session_id`,`entry`) WHERE "agent_activities"."outcome" = 'waiting';--> statement-breakpoint
CREATE INDEX `agent_activities_created` ON `agent_activities` (`created_at_ms`);--> statement-breakpoint
CREATE TABLE `agent_sessions` (
	`tracker` text NOT NULL,
	`session_id` text NOT NULL,
	`issue_id` text NOT NULL,
	`app_user_id` text NOT NULL,
	`thread_id` text,
	`state` text NOT NULL,
	`told` text,
	`told_seq` integer DEFAULT 0 NOT NULL,
	`linked_url` text,
	`activity_at_ms` integer NOT NULL,
	`due_at_ms` integer,
	`created_at_ms` integer NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	PRIMARY KEY(`tracker`, `session_id`)
);--> statement-breakpoint
CREATE INDEX `agent_sessions_issue` ON `agent_sessions` (`tracker`,`issue_id`);--> statement-breakpoint
CREATE INDEX `agent_sessions_state` ON `agent_sessions` (`state`,`due_at_ms`);--> statement-breakpoint
CREATE INDEX `agent_sessions_thread` ON `agent_sessions` (`thread_id`);--> statement-breakpoint
CREATE INDEX `agent_sessions_app_user` ON `agent_sessions` (`app_user_id`);--> statement-breakpoint
CREATE TABLE `alert_counts` (
	`rule_name` text NOT NULL,
	`minute_ms` integer NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`rule_name`, `minute_ms`)
);--> statement-breakpoint
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
);--> statement-breakpoint
CREATE INDEX `alert_history_at` ON `alert_history` (`first_at_ms`,`history_id`);--> statement-breakpoint
CREATE INDEX `alert_history_rule` ON `alert_history` (`rule_name`,`first_at_ms`);--> statement-breakpoint
CREATE TABLE `alert_rules` (
	`name` text PRIMARY KEY NOT NULL,
	`condition` text NOT NULL,
	`last_fired_at_ms` integer,
	`history_id` text
);--> statement-breakpoint
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
);--> statement-breakpoint
CREATE INDEX `automation_runs_started` ON `automation_runs` (`started_at_ms`,`run_id`);--> statement-breakpoint
CREATE INDEX `automation_runs_name` ON `automation_runs` (`automation_name`,`started_at_ms`);--> statement-breakpoint
CREATE UNIQUE INDEX `automation_runs_running` ON `automation_runs` (`automation_name`) WHERE status = 'running';--> statement-breakpoint
CREATE TABLE `automation_timers` (
	`name` text PRIMARY KEY NOT NULL,
	`schedule` text NOT NULL,
	`next_run_at_ms` integer
);--> statement-breakpoint
CREATE INDEX `automation_timers_due` ON `automation_timers` (`next_run_at_ms`);--> statement-breakpoint
CREATE TABLE `notification_channels` (
	`name` text PRIMARY KEY NOT NULL,
	`due_at_ms` integer,
	`delivered` integer DEFAULT 0 NOT NULL,
	`failures_in_a_row` integer DEFAULT 0 NOT NULL,
	`last_success_at_ms` integer,
	`last_error_at_ms` integer,
	`last_error` text
);--> statement-breakpoint
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
);--> statement-breakpoint
CREATE INDEX `notifications_created` ON `notifications` (`created_at_ms`,`notification_id`);--> statement-breakpoint
CREATE INDEX `notifications_dedupe` ON `notifications` (`dedupe`,`created_at_ms`);--> statement-breakpoint
CREATE INDEX `notifications_unread` ON `notifications` (`created_at_ms`) WHERE read_at_ms is null;--> statement-breakpoint
CREATE INDEX `notifications_unspread` ON `notifications` (`created_at_ms`) WHERE spread_at_ms is null;--> statement-breakpoint
CREATE TABLE `held_workspaces` (
	`runner_id` text NOT NULL,
	`key` text NOT NULL,
	`tracker` text NOT NULL,
	`issue_id` text NOT NULL,
	`revision` integer DEFAULT 1 NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`due_at_ms` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`runner_id`, `key`)
);--> statement-breakpoint
CREATE INDEX `held_workspaces_issue` ON `held_workspaces` (`tracker`,`issue_id`);--> statement-breakpoint
CREATE TABLE `join_tokens` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`labels` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	`used_at_ms` integer,
	`runner_id` text
);--> statement-breakpoint
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
	`isolation_levels` text,
	`version` text NOT NULL,
	`engine_version` text,
	`warnings` text NOT NULL,
	`session` integer DEFAULT 0 NOT NULL,
	`instance_id` text,
	`boot_id` text,
	`machine_id` text,
	`connected` integer DEFAULT false NOT NULL,
	`accepted_by` text,
	`draining` integer DEFAULT false NOT NULL,
	`lease_until_ms` integer,
	`twin_until_ms` integer,
	`last_seen_at_ms` integer,
	`load` text,
	`joined_at_ms` integer NOT NULL,
	`revoked_at_ms` integer
);--> statement-breakpoint
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
);--> statement-breakpoint
CREATE INDEX `workspaces_key` ON `workspaces` (`key`);--> statement-breakpoint
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
	`reason_code` text,
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
);--> statement-breakpoint
CREATE UNIQUE INDEX `attempts_issue_number` ON `attempts` (`tracker`,`issue_id`,`number`);--> statement-breakpoint
CREATE INDEX `attempts_live` ON `attempts` (`status`,`runner_id`);--> statement-breakpoint
CREATE INDEX `attempts_queued_at` ON `attempts` (`queued_at_ms`);--> statement-breakpoint
CREATE INDEX `attempts_thread` ON `attempts` (`thread_id`,`queued_at_ms`);--> statement-breakpoint
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
);--> statement-breakpoint
CREATE UNIQUE INDEX `checkpoints_attempt` ON `checkpoints` (`attempt_id`,`epoch`,`ordinal`);--> statement-breakpoint
CREATE INDEX `checkpoints_issue` ON `checkpoints` (`tracker`,`issue_id`,`created_at_ms`);--> statement-breakpoint
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
	`unroutable` text,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	`status` text DEFAULT 'idle' NOT NULL,
	`reason` text,
	`reason_code` text,
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
	`repository_url` text,
	`read_only` integer DEFAULT false NOT NULL,
	`queued_since_ms` integer,
	`version` integer DEFAULT 1 NOT NULL,
	PRIMARY KEY(`tracker`, `id`)
);--> statement-breakpoint
CREATE UNIQUE INDEX `issues_identifier` ON `issues` (`identifier`);--> statement-breakpoint
CREATE INDEX `issues_status` ON `issues` (`status`,`next_retry_at_ms`);--> statement-breakpoint
CREATE INDEX `issues_status_updated` ON `issues` (`status`,`updated_at_ms`);--> statement-breakpoint
CREATE INDEX `issues_updated` ON `issues` (`updated_at_ms`);--> statement-breakpoint
CREATE INDEX `issues_reason_code` ON `issues` (`reason_code`,`status`) WHERE "issues"."reason_code" is not null;--> statement-breakpoint
CREATE INDEX `issues_blocked_by` ON `issues` (`tracker`) WHERE "issues"."blocked_by" <> '[]';--> statement-breakpoint
CREATE TABLE `local_attachments` (
	`issue_id` text NOT NULL,
	`url` text NOT NULL,
	`title` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`issue_id`, `url`)
);--> statement-breakpoint
CREATE TABLE `local_comments` (
	`id` text PRIMARY KEY NOT NULL,
	`issue_id` text NOT NULL,
	`service_key` text,
	`author` text NOT NULL,
	`body` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL
);--> statement-breakpoint
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
);--> statement-breakpoint
CREATE UNIQUE INDEX `local_issues_number_unique` ON `local_issues` (`number`);--> statement-breakpoint
CREATE UNIQUE INDEX `local_issues_identifier_unique` ON `local_issues` (`identifier`);--> statement-breakpoint
CREATE INDEX `local_issues_state` ON `local_issues` (`state`);--> statement-breakpoint
CREATE INDEX `local_issues_updated` ON `local_issues` (`updated_at_ms`);--> statement-breakpoint
CREATE TABLE `upstream_pauses` (
	`upstream` text PRIMARY KEY NOT NULL,
	`reason` text NOT NULL,
	`reason_code` text,
	`failures` integer NOT NULL,
	`due_at_ms` integer NOT NULL,
	`canary_attempt_id` text,
	`failed_issue` text,
	`since_ms` integer NOT NULL
);--> statement-breakpoint
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
);--> statement-breakpoint
CREATE INDEX `pull_request_feedback_issue` ON `pull_request_feedback` (`tracker`,`issue_id`,`created_at_ms`);--> statement-breakpoint
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
	`url` text,
	`looked_at_ms` integer,
	`checked` text,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL
);--> statement-breakpoint
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
);--> statement-breakpoint
CREATE INDEX `requests_attempt` ON `requests` (`attempt_id`,`state`);--> statement-breakpoint
CREATE INDEX `requests_state` ON `requests` (`state`,`expires_at_ms`);--> statement-breakpoint
CREATE TABLE `steers` (
	`message_id` text PRIMARY KEY NOT NULL,
	`attempt_id` text NOT NULL,
	`body` text NOT NULL,
	`actor` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`delivered_at_ms` integer,
	`carried_by` text
);--> statement-breakpoint
CREATE INDEX `steers_attempt` ON `steers` (`attempt_id`,`delivered_at_ms`);--> statement-breakpoint
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
);--> statement-breakpoint
CREATE INDEX `transitions_identifier` ON `transitions` (`identifier`,`entry`);--> statement-breakpoint
CREATE INDEX `transitions_at` ON `transitions` (`at_ms`);--> statement-breakpoint
CREATE TABLE `thread_usage` (
	`thread_id` text PRIMARY KEY NOT NULL,
	`tracker` text NOT NULL,
	`issue_id` text NOT NULL,
	`model` text,
	`tokens` text NOT NULL,
	`cost_usd` real,
	`updated_at_ms` integer NOT NULL
);--> statement-breakpoint
CREATE INDEX `thread_usage_issue` ON `thread_usage` (`tracker`,`issue_id`);--> statement-breakpoint
CREATE TABLE `usage_days` (
	`day` text PRIMARY KEY NOT NULL,
	`tokens` integer NOT NULL,
	`cost_usd` real NOT NULL
);--> statement-breakpoint
CREATE TABLE `usage_totals` (
	`id` integer PRIMARY KEY NOT NULL,
	`attempts` integer NOT NULL,
	`input` integer NOT NULL,
	`cached_input` integer NOT NULL,
	`output` integer NOT NULL,
	`reasoning` integer NOT NULL,
	`total` integer NOT NULL,
	`cost_usd` real
);--> statement-breakpoint
CREATE TRIGGER `audit_no_update` BEFORE UPDATE ON `audit`
BEGIN
  SELECT raise(ABORT, 'audit entries cannot be changed');
END;--> statement-breakpoint
CREATE TRIGGER `audit_no_delete` BEFORE DELETE ON `audit`
BEGIN
  SELECT raise(ABORT, 'audit entries cannot be deleted');
END;--> statement-breakpoint
CREATE TRIGGER `audit_no_replace` BEFORE INSERT ON `audit`
WHEN EXISTS (SELECT 1 FROM `audit` WHERE `entry` = NEW.`entry`)
BEGIN
  SELECT raise(ABORT, 'audit entries cannot be changed');
END;--> statement-breakpoint
CREATE TRIGGER `audit_chain_no_update` BEFORE UPDATE ON `audit_chain`
BEGIN
  SELECT raise(ABORT, 'audit seals cannot be changed');
END;--> statement-breakpoint
CREATE TRIGGER `audit_chain_no_delete` BEFORE DELETE ON `audit_chain`
BEGIN
  SELECT raise(ABORT, 'audit seals cannot be deleted');
END;--> statement-breakpoint
CREATE TRIGGER `audit_chain_no_replace` BEFORE INSERT ON `audit_chain`
WHEN EXISTS (SELECT 1 FROM `audit_chain` WHERE `entry` = NEW.`entry`)
BEGIN
  SELECT raise(ABORT, 'audit seals cannot be changed');
END;--> statement-breakpoint
CREATE TRIGGER `state_version_issues_insert` AFTER INSERT ON `issues`
BEGIN
  UPDATE `counters` SET `value` = `value` + 1 WHERE `name` = 'state_version';
END;--> statement-breakpoint
CREATE TRIGGER `state_version_issues_update` AFTER UPDATE ON `issues`
BEGIN
  UPDATE `counters` SET `value` = `value` + 1 WHERE `name` = 'state_version';
END;--> statement-breakpoint
CREATE TRIGGER `state_version_issues_delete` AFTER DELETE ON `issues`
BEGIN
  UPDATE `counters` SET `value` = `value` + 1 WHERE `name` = 'state_version';
END;--> statement-breakpoint
CREATE TRIGGER `state_version_upstream_pauses_insert` AFTER INSERT ON `upstream_pauses`
BEGIN
  UPDATE `counters` SET `value` = `value` + 1 WHERE `name` = 'state_version';
END;--> statement-breakpoint
CREATE TRIGGER `state_version_upstream_pauses_update` AFTER UPDATE ON `upstream_pauses`
BEGIN
  UPDATE `counters` SET `value` = `value` + 1 WHERE `name` = 'state_version';
END;--> statement-breakpoint
CREATE TRIGGER `state_version_upstream_pauses_delete` AFTER DELETE ON `upstream_pauses`
BEGIN
  UPDATE `counters` SET `value` = `value` + 1 WHERE `name` = 'state_version';
END;--> statement-breakpoint
CREATE TRIGGER `state_version_facts_insert` AFTER INSERT ON `facts`
BEGIN
  UPDATE `counters` SET `value` = `value` + 1 WHERE `name` = 'state_version';
END;--> statement-breakpoint
CREATE TRIGGER `state_version_facts_update` AFTER UPDATE ON `facts`
BEGIN
  UPDATE `counters` SET `value` = `value` + 1 WHERE `name` = 'state_version';
END;--> statement-breakpoint
CREATE TRIGGER `state_version_facts_delete` AFTER DELETE ON `facts`
BEGIN
  UPDATE `counters` SET `value` = `value` + 1 WHERE `name` = 'state_version';
END;--> statement-breakpoint
CREATE TRIGGER `state_version_runners_insert` AFTER INSERT ON `runners`
BEGIN
  UPDATE `counters` SET `value` = `value` + 1 WHERE `name` = 'state_version';
END;--> statement-breakpoint
CREATE TRIGGER `state_version_runners_delete` AFTER DELETE ON `runners`
BEGIN
  UPDATE `counters` SET `value` = `value` + 1 WHERE `name` = 'state_version';
END;--> statement-breakpoint
CREATE TRIGGER `state_version_runners_update` AFTER UPDATE OF `name`, `connected`, `draining`, `warnings`, `labels`, `revoked_at_ms`, `isolation` ON `runners`
BEGIN
  UPDATE `counters` SET `value` = `value` + 1 WHERE `name` = 'state_version';
END;--> statement-breakpoint
CREATE TRIGGER `usage_totals_attempts_insert` AFTER INSERT ON `attempts`
BEGIN
  UPDATE `usage_totals` SET `attempts` = `attempts` + 1 WHERE `id` = 1;
END;--> statement-breakpoint
CREATE TRIGGER `usage_totals_attempts_delete` AFTER DELETE ON `attempts`
BEGIN
  UPDATE `usage_totals` SET `attempts` = `attempts` - 1 WHERE `id` = 1;
END;--> statement-breakpoint
CREATE TRIGGER `usage_totals_threads_insert` AFTER INSERT ON `thread_usage`
BEGIN
  UPDATE `usage_totals` SET
    `input` = `input` + coalesce(json_extract(new.`tokens`, '$.input'), 0),
    `cached_input` = `cached_input` + coalesce(json_extract(new.`tokens`, '$.cachedInput'), 0),
    `output` = `output` + coalesce(json_extract(new.`tokens`, '$.output'), 0),
    `reasoning` = `reasoning` + coalesce(json_extract(new.`tokens`, '$.reasoning'), 0),
    `total` = `total` + coalesce(json_extract(new.`tokens`, '$.total'), 0),
    `cost_usd` = CASE WHEN `cost_usd` IS NULL AND new.`cost_usd` IS NULL THEN NULL ELSE coalesce(`cost_usd`, 0) + coalesce(new.`cost_usd`, 0) END
  WHERE `id` = 1;
END;--> statement-breakpoint
CREATE TRIGGER `usage_totals_threads_update` AFTER UPDATE OF `tokens`, `cost_usd` ON `thread_usage`
WHEN old.`tokens` <> new.`tokens` OR old.`cost_usd` IS NOT new.`cost_usd`
BEGIN
  UPDATE `usage_totals` SET
    `input` = `input` + coalesce(json_extract(new.`tokens`, '$.input'), 0) - coalesce(json_extract(old.`tokens`, '$.input'), 0),
    `cached_input` = `cached_input` + coalesce(json_extract(new.`tokens`, '$.cachedInput'), 0) - coalesce(json_extract(old.`tokens`, '$.cachedInput'), 0),
    `output` = `output` + coalesce(json_extract(new.`tokens`, '$.output'), 0) - coalesce(json_extract(old.`tokens`, '$.output'), 0),
    `reasoning` = `reasoning` + coalesce(json_extract(new.`tokens`, '$.reasoning'), 0) - coalesce(json_extract(old.`tokens`, '$.reasoning'), 0),
    `total` = `total` + coalesce(json_extract(new.`tokens`, '$.total'), 0) - coalesce(json_extract(old.`tokens`, '$.total'), 0),
    `cost_usd` = CASE WHEN `cost_usd` IS NULL AND new.`cost_usd` IS NULL THEN NULL ELSE coalesce(`cost_usd`, 0) + coalesce(new.`cost_usd`, 0) - coalesce(old.`cost_usd`, 0) END
  WHERE `id` = 1;
END;--> statement-breakpoint
CREATE TRIGGER `usage_totals_threads_delete` AFTER DELETE ON `thread_usage`
BEGIN
  UPDATE `usage_totals` SET
    `input` = `input` - coalesce(json_extract(old.`tokens`, '$.input'), 0),
    `cached_input` = `cached_input` - coalesce(json_extract(old.`tokens`, '$.cachedInput'), 0),
    `output` = `output` - coalesce(json_extract(old.`tokens`, '$.output'), 0),
    `reasoning` = `reasoning` - coalesce(json_extract(old.`tokens`, '$.reasoning'), 0),
    `total` = `total` - coalesce(json_extract(old.`tokens`, '$.total'), 0),
    `cost_usd` = `cost_usd` - coalesce(old.`cost_usd`, 0)
  WHERE `id` = 1;
END;--> statement-breakpoint
INSERT INTO `counters` (`name`, `value`) VALUES ('state_version', 1);--> statement-breakpoint
INSERT INTO `usage_totals` (`id`, `attempts`, `input`, `cached_input`, `output`, `reasoning`, `total`, `cost_usd`) VALUES (1, 0, 0, 0, 0, 0, 0, NULL);
