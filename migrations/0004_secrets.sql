CREATE TABLE `secrets` (
	`key` text PRIMARY KEY NOT NULL,
	`master_key_id` text NOT NULL,
	`nonce` blob NOT NULL,
	`ciphertext` blob NOT NULL,
	`version` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `secrets_master_key` ON `secrets` (`master_key_id`);