CREATE TABLE `agent_activities` (
	`entry` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`activity_id` text NOT NULL,
	`tracker` text NOT NULL,
	`session_id` text NOT NULL,
	`content` text NOT NULL,
	`ephemeral` integer DEFAULT false NOT NULL,
	`options` text,
	`outcome` text NOT NULL,
	`created_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_activities_activity_id_unique` ON `agent_activities` (`activity_id`);--> statement-breakpoint
CREATE INDEX `agent_activities_waiting` ON `agent_activities` (`tracker`,`session_id`,`entry`) WHERE "agent_activities"."outcome" = 'waiting';--> statement-breakpoint
CREATE INDEX `agent_activities_created` ON `agent_activities` (`created_at_ms`);--> statement-breakpoint
CREATE TABLE `agent_sessions` (
	`tracker` text NOT NULL,
	`session_id` text NOT NULL,
	`issue_id` text NOT NULL,
	`app_user_id` text NOT NULL,
	`thread_id` text,
	`state` text NOT NULL,
	`told` text,
	`told_seq` integer DEFAULT 0 NOT NULL,
	`linked_url` text,
	`activity_at_ms` integer NOT NULL,
	`due_at_ms` integer,
	`created_at_ms` integer NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	PRIMARY KEY(`tracker`, `session_id`)
);
--> statement-breakpoint
CREATE INDEX `agent_sessions_issue` ON `agent_sessions` (`tracker`,`issue_id`);--> statement-breakpoint
CREATE INDEX `agent_sessions_state` ON `agent_sessions` (`state`,`due_at_ms`);--> statement-breakpoint
CREATE INDEX `agent_sessions_thread` ON `agent_sessions` (`thread_id`);--> statement-breakpoint
CREATE INDEX `agent_sessions_app_user` ON `agent_sessions` (`app_user_id`);