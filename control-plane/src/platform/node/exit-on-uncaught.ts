import type { ErrorTracker } from '../../ports/ports.ts';
import { describeFailure } from '../../http/describe-failure.ts';
import type { ProcessLogger } from '../../admin/observability/create-logger.ts';

const FLUSH_MS = 2_000;
const EXIT_FAILED = 1;

/** Logs and reports an uncaught error before it ends the process. */
export function exitOnUncaught(logger: ProcessLogger, errors: ErrorTracker): void {
  process.once('uncaughtException', (failure: Error) => void die(failure, logger, errors));
}

async function die(failure: Error, logger: ProcessLogger, errors: ErrorTracker): Promise<void> {
  logger.fatal('an error was not caught; the process ends', { error: describeFailure(failure) });
  errors.capture(failure, { operation: 'process' });
  await errors.flush(FLUSH_MS);
  process.exit(EXIT_FAILED);
}
