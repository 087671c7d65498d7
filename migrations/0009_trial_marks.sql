ALTER TABLE `issues` ADD `on_trial` integer DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE `issues` SET `on_trial` = true WHERE EXISTS (
  SELECT 1 FROM `attempts` WHERE `attempts`.`attempt_id` = `issues`.`current_attempt_id` AND `attempts`.`model` = 'scripted-trial'
);--> statement-breakpoint
CREATE INDEX `attempts_completed` ON `attempts` (`ended_at_ms`) WHERE "attempts"."outcome" = 'completed' and "attempts"."model" is not 'scripted-trial';