import type { EngineTest } from '@switchyard/shared/api/engines';
import type { EngineSpec } from '@switchyard/shared/protocol/attempt-spec';
import type { CallValue } from '@switchyard/shared/protocol/calls';
import { choiceNamed } from '../../config/provider/engine-choice.ts';
import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import { engineName, formatProblem } from '../../config/sections/routing/format-problem.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { auditStatement } from '../../observe/audit/audit-statement.ts';
import type { Caller } from '../../http/caller/caller.ts';
import type { EngineDeps } from '../operations/ask-engine.ts';
import { chooseRunner } from '../operations/decide.ts';
import { readPlaces } from '../operations/queries.ts';
import { sealSecrets } from '../session/seal-secrets.ts';
import { configuredEngines, engineSpec } from '../available-engines/configured-engines.ts';
import { testAdvice } from './test-advice.ts';

const TIMEOUT_MS = 120_000;
/** Token limit of a test: an agent's own instructions take 10,000 to 30,000 tokens. */
const MAX_TOKENS = 100_000;
/** Time for the lease, the end of the container and the network, in addition to the turn. */
const MARGIN_MS = 30_000;

/**
 * Runs one small test turn of an engine on a runner, started as for an attempt but without a
 * repository. A failed turn is a regular result. Throws a 404 for an unknown engine, choice or
 * runner, a 409 for an engine without a provider, a 501 for an older runner, a 503 when no runner
 * has the engine.
 */
export async function testEngine(
  deps: EngineDeps,
  input: {
    engine: string;
    runner?: string | undefined;
    choice?: string | undefined;
    timeoutMs?: number | undefined;
    caller: Caller;
  },
): Promise<EngineTest> {
  const { engine: name, timeoutMs = TIMEOUT_MS } = input;
  const config = await deps.config.load();
  const { runners } = await readPlaces(deps.db, undefined);
  const isKnown =
    configuredEngines(config).some((one) => one.name === name) ||
    runners.some(({ engines }) => engines.some((one) => one.name === name));
  if (!isKnown) throw new AppError('not_found', `agent engine ${name} not found`);
  const spec = specOf(config, name, input.choice);
  const runnerId = await runnerWith(deps, { runners, engine: name, wanted: input.runner });
  const sealedSecrets = await sealSecrets(deps, runnerId, {
    provider: { baseUrl: spec.provider.baseUrl, account: spec.account },
  });
  const { image } = config.engine.sandbox;
  const outcome = await ask(deps, runnerId, timeoutMs, {
    engine: spec,
    timeoutMs,
    maxTokens: MAX_TOKENS,
    ...(image === undefined ? {} : { image }),
    ...(sealedSecrets === null ? {} : { sealedSecrets }),
  });
  const result = answerOf(outcome, spec, { name, runnerId });
  await deps.db.batch([
    auditStatement(deps.db, deps.clock.nowMs(), input.caller, {
      operation: 'engine.test',
      subject: name,
      details: { runnerId, model: spec.model, failure: result.failure?.kind ?? null },
    }),
  ]);
  return result;
}

/** The choice that the test uses: the named one, else the engine's first one. */
function specOf(config: EffectiveConfig, name: string, choice: string | undefined): EngineSpec {
  const named = choice === undefined ? null : choiceNamed(config, choice);
  if (choice !== undefined && (named === null || engineName(named.engine) !== name)) {
    throw new AppError('not_found', `the engine ${name} has no choice ${choice} in engine.choices`);
  }
  const spec = engineSpec(config, name, named);
  const problem = formatProblem(name, spec.provider.wireApi);
  if (problem === null) return spec;
  const message = `the agent engine ${name} has no provider that it could ask: add a choice for it (engine.choices) whose account speaks its format; wireApi ${problem}`;
  throw new AppError('conflict', message, { reason: 'engine_not_configured' });
}

async function runnerWith(
  { connections }: Pick<Deps, 'connections'>,
  input: {
    runners: Awaited<ReturnType<typeof readPlaces>>['runners'];
    engine: string;
    wanted: string | undefined;
  },
): Promise<string> {
  const connected = await connections.connected(input.runners.map(({ runnerId }) => runnerId));
  const choice = chooseRunner({
    // A test turn works also on engines that serve no operators.
    runners: input.runners.map(({ engines, ...runner }) => ({
      ...runner,
      connected: connected.has(runner.runnerId),
      engines: engines.map(({ name, state }) => ({ name, state, capabilities: null })),
    })),
    wanted: input.wanted,
    engine: input.engine,
    thread: null,
  });
  if (choice.kind === 'runner') return choice.runnerId;
  if (choice.kind === 'unknown_runner')
    throw new AppError('not_found', `runner ${input.wanted} not found`);
  throw new AppError('unavailable', choice.message, { reason: 'no_runner' });
}

async function ask(
  { connections }: Pick<Deps, 'connections'>,
  runnerId: string,
  timeoutMs: number,
  params: Parameters<typeof connections.call<'engine.test'>>[2],
): Promise<CallValue<'engine.test'>> {
  try {
    return await connections.call(runnerId, 'engine.test', params, timeoutMs + MARGIN_MS);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'upstream_failed') throw error;
    if (error.reason === 'UNSUPPORTED' || error.reason === 'MALFORMED') {
      const message = `runner ${runnerId} is of a version that tests no engines; update it`;
      throw new AppError('unsupported_by_engine', message, { reason: 'runner_too_old' });
    }
    throw new AppError('unavailable', error.message, { reason: 'engine_unreachable' });
  }
}

function answerOf(
  outcome: CallValue<'engine.test'>,
  spec: EngineSpec,
  { name, runnerId }: { name: string; runnerId: string },
): EngineTest {
  const { failure, ...measured } = outcome;
  return {
    engine: name,
    runnerId,
    model: spec.model,
    account: spec.account ?? null,
    ...measured,
    failure:
      failure === null
        ? null
        : {
            kind: failure.kind,
            message: failure.message,
            advice: testAdvice(failure.kind, name),
            resetAt:
              failure.resetAtMs === undefined ? null : new Date(failure.resetAtMs).toISOString(),
          },
  };
}
