CREATE TABLE `api_tokens` (
	`token_id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`scope` text NOT NULL,
	`token_hash` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`created_by` text NOT NULL,
	`last_used_at_ms` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_tokens_name_unique` ON `api_tokens` (`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `api_tokens_token_hash_unique` ON `api_tokens` (`token_hash`);--> statement-breakpoint
CREATE TABLE `audit_chain` (
	`entry` integer PRIMARY KEY NOT NULL,
	`hash` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`delivery` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`provider` text NOT NULL,
	`delivery_id` text NOT NULL,
	`event` text NOT NULL,
	`body` text NOT NULL,
	`request_id` text,
	`status` text DEFAULT 'pending' NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`next_try_at_ms` integer NOT NULL,
	`outcome` text,
	`last_error` text,
	`received_at_ms` integer NOT NULL,
	`ended_at_ms` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_deliveries_id` ON `webhook_deliveries` (`provider`,`delivery_id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`status`,`next_try_at_ms`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_received` ON `webhook_deliveries` (`provider`,`received_at_ms`);--> statement-breakpoint
CREATE TRIGGER `audit_no_replace` BEFORE INSERT ON `audit`
WHEN EXISTS (SELECT 1 FROM `audit` WHERE `entry` = NEW.`entry`)
BEGIN
  SELECT raise(ABORT, 'audit entries cannot be changed');
END;
--> statement-breakpoint
CREATE TRIGGER `audit_chain_no_update` BEFORE UPDATE ON `audit_chain`
BEGIN
  SELECT raise(ABORT, 'audit seals cannot be changed');
END;
--> statement-breakpoint
CREATE TRIGGER `audit_chain_no_delete` BEFORE DELETE ON `audit_chain`
BEGIN
  SELECT raise(ABORT, 'audit seals cannot be deleted');
END;
--> statement-breakpoint
CREATE TRIGGER `audit_chain_no_replace` BEFORE INSERT ON `audit_chain`
WHEN EXISTS (SELECT 1 FROM `audit_chain` WHERE `entry` = NEW.`entry`)
BEGIN
  SELECT raise(ABORT, 'audit seals cannot be changed');
END;
