CREATE INDEX `issues_updated` ON `issues` (`updated_at_ms`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_dead` ON `webhook_deliveries` (`status`,`delivery`) WHERE "webhook_deliveries"."status" = 'dead';--> statement-breakpoint
CREATE INDEX `webhook_deliveries_ended` ON `webhook_deliveries` (`ended_at_ms`) WHERE "webhook_deliveries"."status" <> 'pending';