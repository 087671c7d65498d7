ALTER TABLE `attempts` ADD `kind` text DEFAULT 'work' NOT NULL;--> statement-breakpoint
ALTER TABLE `attempts` ADD `plan_state` text;--> statement-breakpoint
ALTER TABLE `issues` ADD `plan_request_id` text;--> statement-breakpoint
ALTER TABLE `requests` ADD `plan` text;