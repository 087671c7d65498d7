import type { Database } from '../../db/database.ts';
import type { ErrorTracker, Logger, LogFields } from '../../ports/ports.ts';
import type { Redactor } from '../../ports/redactor.ts';
import { attemptCountOf } from './attempt-count.ts';
import { createErrorTracker, errorTrackingDsn } from './create-error-tracker.ts';

/** The error tracker of the environment, and the log with its lines passed on to it. */
export async function trackErrors(given: {
  db: Database;
  variables: Readonly<Record<string, string | undefined>>;
  version: string;
  redactor: Redactor;
  logger: Logger;
}): Promise<{ errors: ErrorTracker; logger: Logger }> {
  const errors = await createErrorTracker({
    dsn: errorTrackingDsn(given.variables),
    release: `switchyard@${given.version}`,
    redactor: given.redactor,
    complain: (message) => given.logger.warn(message),
    attemptCountOf: (issue) => attemptCountOf(given.db, issue),
  });
  return { errors, logger: logToErrorTracker(given.logger, errors) };
}

/**
 * Wraps the logger so that lines from `info` on are also recorded for the error tracker, which
 * sends them with the next errors.
 */
function logToErrorTracker(logger: Logger, errors: ErrorTracker): Logger {
  const both =
    (level: 'info' | 'warn' | 'error') =>
    (message: string, fields: LogFields = {}) => {
      errors.note(message, { ...fields, level });
      logger[level](message, fields);
    };
  return {
    debug: (message, fields) => logger.debug(message, fields),
    info: both('info'),
    warn: both('warn'),
    error: both('error'),
  };
}
