import { createLogger, type ProcessLogger } from '../../admin/observability/create-logger.ts';
import { createRedactor, hideEnvironment } from '../../observe/redaction/create-redactor.ts';
import type { Redactor } from '../../ports/redactor.ts';
import { variablesOf, type WorkerEnv } from './worker-env.ts';

/** The log of a worker or object, also before its core has started or if that fails. */
export function workerLogger(env: WorkerEnv, redactor: Redactor = createRedactor()): ProcessLogger {
  const variables = variablesOf(env);
  hideEnvironment(redactor, variables);
  return createLogger({
    write: (line) => console.log(line.trimEnd()),
    level: variables['SERVICE_LOG_LEVEL'],
    format: variables['SERVICE_LOG_FORMAT'] ?? 'json',
    nowMs: () => Date.now(),
    redactor,
  });
}
