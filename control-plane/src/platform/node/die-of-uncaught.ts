import type { ErrorTracker } from '../../ports.ts';
import { describeFailure } from '../../http/describe-failure.ts';
import type { ProcessLogger } from './create-logger.ts';

const FLUSH_MS = 2_000;
const EXIT_FAILED = 1;

/** An error that nobody caught is logged and reported before it ends the process, as it must. */
export function dieOfUncaught(logger: ProcessLogger, errors: ErrorTracker): void {
  process.once('uncaughtException', (error) => {
    logger.fatal('an error was not caught; the process ends', { error: describeFailure(error) });
    errors.capture(error, { operation: 'process' });
    void errors.flush(FLUSH_MS).finally(() => process.exit(EXIT_FAILED));
  });
}
