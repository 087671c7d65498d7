ALTER TABLE `attempts` ADD `unpriced_tokens` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `issues` ADD `unpriced_tokens` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `thread_usage` ADD `unpriced_tokens` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_days` ADD `unpriced_tokens` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_totals` ADD `unpriced_tokens` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
DROP TRIGGER `usage_totals_threads_insert`;--> statement-breakpoint
DROP TRIGGER `usage_totals_threads_update`;--> statement-breakpoint
DROP TRIGGER `usage_totals_threads_delete`;--> statement-breakpoint
UPDATE `thread_usage` SET `unpriced_tokens` = coalesce(json_extract(`tokens`, '$.total'), 0) WHERE `cost_usd` IS NULL;--> statement-breakpoint
UPDATE `attempts` SET `unpriced_tokens` = coalesce(json_extract(`tokens`, '$.total'), 0) WHERE `cost_usd` IS NULL;--> statement-breakpoint
UPDATE `issues` SET `unpriced_tokens` = `used`.`unpriced` FROM (
  SELECT `tracker`, `issue_id`, sum(`unpriced_tokens`) AS `unpriced` FROM `thread_usage` GROUP BY 1, 2
) AS `used` WHERE `used`.`tracker` = `issues`.`tracker` AND `used`.`issue_id` = `issues`.`id`;--> statement-breakpoint
UPDATE `usage_days` SET `unpriced_tokens` = min(`tokens`, `used`.`unpriced`) FROM (
  SELECT date(`updated_at_ms` / 1000, 'unixepoch') AS `on_day`, sum(`unpriced_tokens`) AS `unpriced` FROM `thread_usage` GROUP BY 1
) AS `used` WHERE `used`.`on_day` = `usage_days`.`day`;--> statement-breakpoint
UPDATE `usage_totals` SET `unpriced_tokens` = (SELECT coalesce(sum(`unpriced_tokens`), 0) FROM `thread_usage`) WHERE `id` = 1;--> statement-breakpoint
CREATE TRIGGER `usage_totals_threads_insert` AFTER INSERT ON `thread_usage`
BEGIN
  UPDATE `usage_totals` SET
    `input` = `input` + coalesce(json_extract(new.`tokens`, '$.input'), 0),
    `cached_input` = `cached_input` + coalesce(json_extract(new.`tokens`, '$.cachedInput'), 0),
    `output` = `output` + coalesce(json_extract(new.`tokens`, '$.output'), 0),
    `reasoning` = `reasoning` + coalesce(json_extract(new.`tokens`, '$.reasoning'), 0),
    `total` = `total` + coalesce(json_extract(new.`tokens`, '$.total'), 0),
    `unpriced_tokens` = `unpriced_tokens` + new.`unpriced_tokens`,
    `cost_usd` = CASE WHEN `cost_usd` IS NULL AND new.`cost_usd` IS NULL THEN NULL ELSE coalesce(`cost_usd`, 0) + coalesce(new.`cost_usd`, 0) END
  WHERE `id` = 1;
END;--> statement-breakpoint
CREATE TRIGGER `usage_totals_threads_update` AFTER UPDATE OF `tokens`, `cost_usd`, `unpriced_tokens` ON `thread_usage`
WHEN old.`tokens` <> new.`tokens` OR old.`cost_usd` IS NOT new.`cost_usd` OR old.`unpriced_tokens` <> new.`unpriced_tokens`
BEGIN
  UPDATE `usage_totals` SET
    `input` = `input` + coalesce(json_extract(new.`tokens`, '$.input'), 0) - coalesce(json_extract(old.`tokens`, '$.input'), 0),
    `cached_input` = `cached_input` + coalesce(json_extract(new.`tokens`, '$.cachedInput'), 0) - coalesce(json_extract(old.`tokens`, '$.cachedInput'), 0),
    `output` = `output` + coalesce(json_extract(new.`tokens`, '$.output'), 0) - coalesce(json_extract(old.`tokens`, '$.output'), 0),
    `reasoning` = `reasoning` + coalesce(json_extract(new.`tokens`, '$.reasoning'), 0) - coalesce(json_extract(old.`tokens`, '$.reasoning'), 0),
    `total` = `total` + coalesce(json_extract(new.`tokens`, '$.total'), 0) - coalesce(json_extract(old.`tokens`, '$.total'), 0),
    `unpriced_tokens` = `unpriced_tokens` + new.`unpriced_tokens` - old.`unpriced_tokens`,
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
    `unpriced_tokens` = `unpriced_tokens` - old.`unpriced_tokens`,
    `cost_usd` = `cost_usd` - coalesce(old.`cost_usd`, 0)
  WHERE `id` = 1;
END;