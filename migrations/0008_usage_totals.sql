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