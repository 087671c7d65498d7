import { and, eq, isNull } from 'drizzle-orm';
import { codeOfFailure } from '@switchyard/shared/reasons/code-of-failure';
import { upstreamTrouble, waitingForUpstream } from '@switchyard/shared/reasons/upstream-trouble';
import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import type { EngineChoice } from '../../config/provider/engine-choice.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { Deps } from '../../deps.ts';
import {
  type Ending,
  type NextChoice,
  PROVIDER_FAILURES,
  retryDelayMs,
} from '../../attempts/decide.ts';
import { providerUpstream } from '../../attempts/upstreams/provider-upstream.ts';
import { pausedUpstreams } from '../../attempts/upstreams/queries.ts';
import { asPaused } from './as-paused.ts';
import { chainEntries } from './chain-entries.ts';
import { isSameEngine } from '../../attempts/engine-choices/is-same-engine.ts';
import { decideEngine, type PausedUpstream } from './decide-engine.ts';
import { engineName } from '../../config/sections/routing/format-problem.ts';
import { engineNames } from '../available-engines/engines-of.ts';
import { chainOfIssue } from '../../attempts/engine-choices/chain-of-issue.ts';

/**
 * The choice with which an issue continues after its attempt's account failed, as the next dispatch
 * will decide. Null if its chain has a single choice, or no account failed.
 */
export async function nextChoice(
  deps: Pick<Deps, 'db' | 'clock' | 'config'>,
  input: { attempt: AttemptRow; issue: IssueRow; ending: Ending; config: EffectiveConfig },
): Promise<NextChoice | null> {
  const { attempt, issue, ending, config } = input;
  const { failureKind } = ending;
  if (failureKind === null || !PROVIDER_FAILURES.has(failureKind)) return null;
  if (ending.upstream === 'codehost') return null;
  const chain = await chainOfIssue(deps.db, issue, config);
  if (chain === null || chain.length < 2) return null;
  const nowMs = deps.clock.nowMs();
  const [pauses, known] = await Promise.all([
    pausedUpstreams(deps.db),
    deps.db
      .select({ engines: runners.engines, engine_version: runners.engine_version })
      .from(runners)
      .where(and(isNull(runners.revoked_at_ms), eq(runners.connected, true))),
  ]);
  const paused = new Map(pauses.map((row) => [row.upstream, asPaused(row, nowMs)]));
  const failed = pauseOf(attempt, { ending, config, nowMs });
  paused.set(failed.upstream, failed);
  const names = known.map(engineNames);
  const decision = decideEngine({
    chain: chainEntries(chain, config, deps.config.problems()),
    paused,
    engines: new Set(names.flatMap(({ engines }) => engines)),
    awaited: names,
    nowMs,
  });
  return decision.kind === 'use'
    ? { kind: 'other', from: nameOf(attempt, chain), to: decision.entry.name }
    : { kind: 'none', ...decision.why, retryAtMs: decision.retryAtMs };
}

/** The pause that this end is about to cause, which is not stored yet. */
function pauseOf(
  attempt: AttemptRow,
  { ending, config, nowMs }: { ending: Ending; config: EffectiveConfig; nowMs: number },
): PausedUpstream {
  const { provider, account } = attempt.spec.engine;
  const code = ending.code ?? codeOfFailure(ending.failureKind ?? 'provider_unreachable');
  const trouble = upstreamTrouble(code, ending.message ?? 'it failed');
  return {
    upstream: providerUpstream(provider.baseUrl, account),
    why: { code, reason: waitingForUpstream('the model provider', trouble) },
    open: false,
    dueAtMs: ending.resetAtMs ?? nowMs + retryDelayMs(config.agent, 1),
    failedKey: null,
  };
}

function nameOf(attempt: AttemptRow, chain: readonly EngineChoice[]): string {
  const same = chain.filter((choice) => isSameEngine(attempt, choice));
  const exact = same.find(({ model }) => model === attempt.model);
  return (exact ?? same[0])?.name ?? engineName(attempt.engine);
}
