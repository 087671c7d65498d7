CREATE TRIGGER `audit_no_update` BEFORE UPDATE ON `audit`
BEGIN
  SELECT raise(ABORT, 'audit entries cannot be changed');
END;
--> statement-breakpoint
CREATE TRIGGER `audit_no_delete` BEFORE DELETE ON `audit`
BEGIN
  SELECT raise(ABORT, 'audit entries cannot be deleted');
END;
