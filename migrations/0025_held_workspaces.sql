ALTER TABLE `held_workspaces` DROP COLUMN `tries`;--> statement-breakpoint
ALTER TABLE `held_workspaces` DROP COLUMN `due_at_ms`;