import type { ErrorTracker, LogFields, Logger } from '../../ports/ports.ts';

/**
 * Wraps the logger so that lines from `info` on are also recorded as operations for the error
 * tracker.
 */
export function logToErrorTracker(logger: Logger, errors: ErrorTracker): Logger {
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
