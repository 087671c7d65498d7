CREATE TABLE `attempt_checks` (
	`attempt_id` text NOT NULL,
	`name` text NOT NULL,
	`state` text NOT NULL,
	`epoch` integer NOT NULL,
	`commit_sha` text NOT NULL,
	`run` integer NOT NULL,
	`exit_code` integer,
	`duration_ms` integer,
	`output` text,
	`changed_files` text,
	`message` text,
	`started_at_ms` integer NOT NULL,
	`ended_at_ms` integer,
	PRIMARY KEY(`attempt_id`, `name`)
);
