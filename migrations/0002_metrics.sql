CREATE TABLE `metric_series` (
	`name` text NOT NULL,
	`labels` text NOT NULL,
	`value` real NOT NULL,
	PRIMARY KEY(`name`, `labels`)
);
--> statement-breakpoint
ALTER TABLE `runners` ADD `load` text;