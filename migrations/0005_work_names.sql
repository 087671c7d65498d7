ALTER TABLE `issues` ADD `workspace_key` text;--> statement-breakpoint
CREATE INDEX `issues_workspace_key` ON `issues` (lower("workspace_key"));--> statement-breakpoint
CREATE INDEX `attempts_branch` ON `attempts` (lower("branch"));--> statement-breakpoint
UPDATE `issues` SET `workspace_key` = `identifier` WHERE `attempt_count` > 0 AND length(`identifier`) BETWEEN 1 AND 120 AND `identifier` NOT GLOB '*[^A-Za-z0-9._-]*' AND `identifier` NOT GLOB '.*';
