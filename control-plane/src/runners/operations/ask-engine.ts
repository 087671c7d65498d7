import type { CallParams } from '@switchyard/shared/protocol/calls';
import {
  EngineOperation,
  type EngineOutcome,
  OPERATOR_START_TIMEOUT_MS,
} from '@switchyard/shared/protocol/engine-operations';
import type { z } from 'zod';
import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import type { Deps } from '../../deps.ts';
import { AppError, type ErrorCode } from '../../errors.ts';
import { sealSecrets } from '../session/seal-secrets.ts';
import { defaultEngineOf, engineSpec } from '../available-engines/configured-engines.ts';
import { gateOf } from './engine-gate.ts';
import { selectRunner } from './select-runner.ts';

/** Longest wait for one request to an engine, whatever the configuration allows. */
const MAX_REQUEST_TIMEOUT_MS = 20_000;
/** Requests to the engine, one after another, that an operation makes at most. */
const REQUESTS = 4;
/** Time for the lease, the provider's list of models and the network. */
const MARGIN_MS = 10_000;

export type EngineDeps = Pick<
  Deps,
  'db' | 'connections' | 'config' | 'resolveSecret' | 'clock' | 'logger'
>;

/** An operation for an agent engine, and which runner's engine performs it. */
export type EngineQuestion = {
  operation: EngineOperation;
  /** Runner to use; left out: the least busy one that has the engine. */
  runner?: string | undefined;
  /** Engine by name; left out: that of the thread, else the configured one. */
  engine?: string | undefined;
};

/**
 * Performs an operation on an agent engine through its runner. Throws a 503 when no engine is
 * reachable, a 501 for an unsupported operation, the engine's own 404, 400 and 409, and a 502 for
 * its other errors.
 */
export async function askEngine<S extends z.ZodType>(
  deps: EngineDeps,
  schema: S,
  input: EngineQuestion,
): Promise<z.infer<S>> {
  const operation = requireValid(input.operation);
  const threadId = 'threadId' in operation ? operation.threadId : undefined;
  const config = await deps.config.load();
  const { runnerId, engine = defaultEngineOf(config) } = await selectRunner(deps, {
    wanted: input.runner,
    threadId,
    engine: input.engine,
    otherwise: defaultEngineOf(config),
  });
  const leave = gateOf(deps.connections).enter(operation.op, runnerId, deps.clock.nowMs());
  const outcome = await askRunner(deps, { runnerId, engine, operation, config }).finally(leave);
  if (outcome.outcome !== 'answered') throw refusalOf(outcome);
  const { result, shortened } = outcome;
  const answer = schema.safeParse({ ...result, runnerId, ...(shortened ? { shortened } : {}) });
  if (answer.success) return answer.data;
  deps.logger.warn('an answer of an agent engine has another shape', {
    operation: operation.op,
    runnerId,
    where: answer.error.issues[0]?.path.join('.') ?? '',
  });
  throw new AppError('upstream_failed', 'the agent engine answered something unexpected', {
    reason: 'engine_error',
  });
}

async function askRunner(
  deps: EngineDeps,
  input: {
    runnerId: string;
    engine: string;
    operation: EngineOperation;
    config: EffectiveConfig;
  },
): Promise<EngineOutcome> {
  const { runnerId, operation, config } = input;
  const engine = engineSpec(config, input.engine);
  const sealedSecrets = await sealSecrets(deps, runnerId, {
    provider: { baseUrl: engine.provider.baseUrl, account: engine.account },
  });
  const requestTimeoutMs = Math.min(config.engine.requestTimeoutMs, MAX_REQUEST_TIMEOUT_MS);
  return callRunner(deps, runnerId, {
    operation,
    engine,
    ...(config.engine.sandbox.image === undefined ? {} : { image: config.engine.sandbox.image }),
    ...(sealedSecrets === null ? {} : { sealedSecrets }),
    requestTimeoutMs,
  });
}

function requireValid(operation: EngineOperation): EngineOperation {
  const parsed = EngineOperation.safeParse(operation);
  if (parsed.success) return parsed.data;
  const details = parsed.error.issues.map(({ path, message }) => ({
    path: path.join('.'),
    message,
  }));
  const [first] = details;
  throw new AppError('bad_request', `${first?.path}: ${first?.message}`, {
    reason: 'invalid_input',
    details,
  });
}

async function callRunner(
  deps: EngineDeps,
  runnerId: string,
  params: CallParams<'engine.request'>,
): Promise<EngineOutcome> {
  const timeoutMs = OPERATOR_START_TIMEOUT_MS + REQUESTS * params.requestTimeoutMs + MARGIN_MS;
  try {
    return await deps.connections.call(runnerId, 'engine.request', params, timeoutMs);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'upstream_failed') throw error;
    // An older runner supports fewer operations, or none.
    if (error.reason === 'UNSUPPORTED' || error.reason === 'MALFORMED') {
      throw new AppError('unsupported_by_engine', error.message, { reason: 'engine_unsupported' });
    }
    throw new AppError('unavailable', error.message, { reason: 'engine_unreachable' });
  }
}

const REFUSALS: Record<
  Exclude<EngineOutcome['outcome'], 'answered'>,
  { code: ErrorCode; reason: string }
> = {
  unreachable: { code: 'unavailable', reason: 'engine_unreachable' },
  refused: { code: 'upstream_failed', reason: 'engine_error' },
  unsupported: { code: 'unsupported_by_engine', reason: 'engine_unsupported' },
  unknown_thread: { code: 'not_found', reason: 'not_found' },
  invalid: { code: 'bad_request', reason: 'invalid_input' },
  in_use: { code: 'conflict', reason: 'thread_in_use' },
};

function refusalOf(outcome: Exclude<EngineOutcome, { outcome: 'answered' }>): AppError {
  const { code, reason } = REFUSALS[outcome.outcome];
  return new AppError(code, outcome.message, { reason });
}
