ALTER TABLE `attempts` ADD `reason_code` text;--> statement-breakpoint
ALTER TABLE `issues` ADD `reason_code` text;--> statement-breakpoint
CREATE INDEX `issues_reason_code` ON `issues` (`reason_code`,`status`) WHERE "issues"."reason_code" is not null;--> statement-breakpoint
ALTER TABLE `upstream_pauses` ADD `reason_code` text;--> statement-breakpoint
UPDATE `attempts` SET `reason_code` = CASE
  WHEN `failure_kind` = 'budget_exceeded' AND `cancel_kind` = 'budget' THEN 'issue_budget_used'
  WHEN `failure_kind` = 'budget_exceeded' THEN 'attempt_time_used'
  WHEN `failure_kind` = 'usage_limited' THEN 'provider_limited'
  WHEN `failure_kind` = 'auth_failed' THEN 'provider_auth_failed'
  WHEN `failure_kind` = 'retries_exhausted' THEN 'ended_without_result'
  WHEN `failure_kind` IS NOT NULL THEN `failure_kind`
  WHEN `outcome` = 'cancelled' AND `cancel_kind` = 'tracker' THEN 'tracker_moved'
  WHEN `outcome` = 'cancelled' AND `cancel_kind` = 'pause' THEN 'stopped_by_pause'
  WHEN `outcome` = 'cancelled' THEN 'stopped_by_person'
  WHEN `marker` = 'BLOCKED' THEN 'agent_blocked'
  WHEN `marker` = 'DONE' AND `pull_request_url` IS NOT NULL THEN 'pull_request_opened'
  WHEN `marker` = 'DONE' THEN 'done_without_changes'
  ELSE 'work_left' END
WHERE `outcome` IS NOT NULL;--> statement-breakpoint
UPDATE `issues` SET `reason_code` = (
  SELECT `reason_code` FROM `attempts` WHERE `attempt_id` = `issues`.`current_attempt_id`
) WHERE `status` IN ('blocked', 'failed', 'retrying') AND `reason` IS NOT NULL;
