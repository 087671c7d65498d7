-- What was used is counted per thread: an attempt that goes on with a thread tells the thread's totals,
-- so that a sum over attempts would count the same tokens again.
DROP TRIGGER `usage_totals_insert`;
--> statement-breakpoint
DROP TRIGGER `usage_totals_update`;
--> statement-breakpoint
DROP TRIGGER `usage_totals_delete`;
--> statement-breakpoint
CREATE TRIGGER `usage_totals_attempts_insert` AFTER INSERT ON `attempts`
BEGIN
  UPDATE `usage_totals` SET `attempts` = `attempts` + 1 WHERE `id` = 1;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_totals_attempts_delete` AFTER DELETE ON `attempts`
BEGIN
  UPDATE `usage_totals` SET `attempts` = `attempts` - 1 WHERE `id` = 1;
END;
--> statement-breakpoint
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
END;
--> statement-breakpoint
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
END;
--> statement-breakpoint
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
END;
--> statement-breakpoint
UPDATE `usage_totals` SET
  `input` = (SELECT coalesce(sum(json_extract(`tokens`, '$.input')), 0) FROM `thread_usage`),
  `cached_input` = (SELECT coalesce(sum(json_extract(`tokens`, '$.cachedInput')), 0) FROM `thread_usage`),
  `output` = (SELECT coalesce(sum(json_extract(`tokens`, '$.output')), 0) FROM `thread_usage`),
  `reasoning` = (SELECT coalesce(sum(json_extract(`tokens`, '$.reasoning')), 0) FROM `thread_usage`),
  `total` = (SELECT coalesce(sum(json_extract(`tokens`, '$.total')), 0) FROM `thread_usage`),
  `cost_usd` = (SELECT sum(`cost_usd`) FROM `thread_usage`)
WHERE `id` = 1;
