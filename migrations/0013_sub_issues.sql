DROP INDEX `issues_blocked_by`;--> statement-breakpoint
ALTER TABLE `issues` ADD `parent` text;--> statement-breakpoint
ALTER TABLE `issues` ADD `sub_issues` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
CREATE INDEX `issues_related` ON `issues` (`tracker`) WHERE "issues"."blocked_by" <> '[]' or "issues"."sub_issues" <> '[]';--> statement-breakpoint
ALTER TABLE `local_issues` ADD `parent_id` text;--> statement-breakpoint
CREATE INDEX `local_issues_parent` ON `local_issues` (`parent_id`);