CREATE TABLE `usage_totals` (
	`id` integer PRIMARY KEY NOT NULL,
	`attempts` integer NOT NULL,
	`input` integer NOT NULL,
	`cached_input` integer NOT NULL,
	`output` integer NOT NULL,
	`reasoning` integer NOT NULL,
	`total` integer NOT NULL,
	`cost_usd` real
);
--> statement-breakpoint
CREATE INDEX `issues_status_updated` ON `issues` (`status`,`updated_at_ms`);
--> statement-breakpoint
INSERT INTO `usage_totals` (`id`, `attempts`, `input`, `cached_input`, `output`, `reasoning`, `total`, `cost_usd`)
SELECT 1, count(*),
  coalesce(sum(json_extract(`tokens`, '$.input')), 0),
  coalesce(sum(json_extract(`tokens`, '$.cachedInput')), 0),
  coalesce(sum(json_extract(`tokens`, '$.output')), 0),
  coalesce(sum(json_extract(`tokens`, '$.reasoning')), 0),
  coalesce(sum(json_extract(`tokens`, '$.total')), 0),
  sum(`cost_usd`)
FROM `attempts`;
--> statement-breakpoint
CREATE TRIGGER `usage_totals_insert` AFTER INSERT ON `attempts`
BEGIN
  UPDATE `usage_totals` SET
    `attempts` = `attempts` + 1,
    `input` = `input` + coalesce(json_extract(new.`tokens`, '$.input'), 0),
    `cached_input` = `cached_input` + coalesce(json_extract(new.`tokens`, '$.cachedInput'), 0),
    `output` = `output` + coalesce(json_extract(new.`tokens`, '$.output'), 0),
    `reasoning` = `reasoning` + coalesce(json_extract(new.`tokens`, '$.reasoning'), 0),
    `total` = `total` + coalesce(json_extract(new.`tokens`, '$.total'), 0),
    `cost_usd` = CASE WHEN `cost_usd` IS NULL AND new.`cost_usd` IS NULL THEN NULL ELSE coalesce(`cost_usd`, 0) + coalesce(new.`cost_usd`, 0) END
  WHERE `id` = 1;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_totals_update` AFTER UPDATE OF `tokens`, `cost_usd` ON `attempts`
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
END;
--> statement-breakpoint
CREATE TRIGGER `usage_totals_delete` AFTER DELETE ON `attempts`
BEGIN
  UPDATE `usage_totals` SET
    `attempts` = `attempts` - 1,
    `input` = `input` - coalesce(json_extract(old.`tokens`, '$.input'), 0),
    `cached_input` = `cached_input` - coalesce(json_extract(old.`tokens`, '$.cachedInput'), 0),
    `output` = `output` - coalesce(json_extract(old.`tokens`, '$.output'), 0),
    `reasoning` = `reasoning` - coalesce(json_extract(old.`tokens`, '$.reasoning'), 0),
    `total` = `total` - coalesce(json_extract(old.`tokens`, '$.total'), 0),
    `cost_usd` = `cost_usd` - coalesce(old.`cost_usd`, 0)
  WHERE `id` = 1;
END;
--> statement-breakpoint
INSERT INTO `counters` (`name`, `value`) VALUES ('state_version', 1) ON CONFLICT (`name`) DO NOTHING;
--> statement-breakpoint
CREATE TRIGGER `state_version_issues_insert` AFTER INSERT ON `issues`
BEGIN
  UPDATE `counters` SET `value` = `value` + 1 WHERE `name` = 'state_version';
END;
--> statement-breakpoint
CREATE TRIGGER `state_version_issues_update` AFTER UPDATE ON `issues`
BEGIN
  UPDATE `counters` SET `value` = `value` + 1 WHERE `name` = 'state_version';
END;
--> statement-breakpoint
CREATE TRIGGER `state_version_issues_delete` AFTER DELETE ON `issues`
BEGIN
  UPDATE `counters` SET `value` = `value` + 1 WHERE `name` = 'state_version';
END;
--> statement-breakpoint
CREATE TRIGGER `state_version_upstream_pauses_insert` AFTER INSERT ON `upstream_pauses`
BEGIN
  UPDATE `counters` SET `value` = `value` + 1 WHERE `name` = 'state_version';
END;
--> statement-breakpoint
CREATE TRIGGER `state_version_upstream_pauses_update` AFTER UPDATE ON `upstream_pauses`
BEGIN
  UPDATE `counters` SET `value` = `value` + 1 WHERE `name` = 'state_version';
END;
--> statement-breakpoint
CREATE TRIGGER `state_version_upstream_pauses_delete` AFTER DELETE ON `upstream_pauses`
BEGIN
  UPDATE `counters` SET `value` = `value` + 1 WHERE `name` = 'state_version';
END;
--> statement-breakpoint
CREATE TRIGGER `state_version_facts_insert` AFTER INSERT ON `facts`
BEGIN
  UPDATE `counters` SET `value` = `value` + 1 WHERE `name` = 'state_version';
END;
--> statement-breakpoint
CREATE TRIGGER `state_version_facts_update` AFTER UPDATE ON `facts`
BEGIN
  UPDATE `counters` SET `value` = `value` + 1 WHERE `name` = 'state_version';
END;
--> statement-breakpoint
CREATE TRIGGER `state_version_facts_delete` AFTER DELETE ON `facts`
BEGIN
  UPDATE `counters` SET `value` = `value` + 1 WHERE `name` = 'state_version';
END;
--> statement-breakpoint
CREATE TRIGGER `state_version_runners_insert` AFTER INSERT ON `runners`
BEGIN
  UPDATE `counters` SET `value` = `value` + 1 WHERE `name` = 'state_version';
END;
--> statement-breakpoint
CREATE TRIGGER `state_version_runners_delete` AFTER DELETE ON `runners`
BEGIN
  UPDATE `counters` SET `value` = `value` + 1 WHERE `name` = 'state_version';
END;
--> statement-breakpoint
CREATE TRIGGER `state_version_runners_update` AFTER UPDATE OF `name`, `connected`, `draining`, `warnings`, `labels`, `revoked_at_ms`, `isolation` ON `runners`
BEGIN
  UPDATE `counters` SET `value` = `value` + 1 WHERE `name` = 'state_version';
END;
