ALTER TABLE `runners` ADD `engines` text;--> statement-breakpoint
ALTER TABLE `attempts` ADD `engine` text;--> statement-breakpoint
ALTER TABLE `attempts` ADD `engine_version` text;--> statement-breakpoint
ALTER TABLE `attempts` ADD `account` text;--> statement-breakpoint
ALTER TABLE `attempts` ADD `failed_over_from` text;--> statement-breakpoint
ALTER TABLE `issues` ADD `engine` text;--> statement-breakpoint
ALTER TABLE `issues` ADD `thread_engine` text;