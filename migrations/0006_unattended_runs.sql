ALTER TABLE `attempts` ADD `former_runner_id` text;--> statement-breakpoint
ALTER TABLE `attempts` ADD `former_epoch` integer;--> statement-breakpoint
ALTER TABLE `checkpoints` ADD `problems` text;--> statement-breakpoint
ALTER TABLE `issues` ADD `unattended_runs` integer DEFAULT 0 NOT NULL;