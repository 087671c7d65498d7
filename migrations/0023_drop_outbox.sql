DROP TABLE `outbox`;--> statement-breakpoint
DROP TABLE `timers`;--> statement-breakpoint
ALTER TABLE `notification_channels` DROP COLUMN `due_at_ms`;