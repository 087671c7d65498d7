import type { Statement } from '../../db/database.ts';
import type { Deps } from '../../deps.ts';
import { allRunners } from '../queries.ts';
import { replaceReport } from './queries.ts';
import { isWithin } from '../../is-within.ts';
import { errorMessage } from '../../error-message.ts';

/** Timeout of a runner's answer; it measures its workspaces for at most 1.5 s. */
const ANSWER_TIMEOUT_MS = 3_000;
/** Age up to which reports are reused instead of querying the runners again. */
const FRESH_MS = 5_000;
/** Limit on stored workspaces of one runner; further ones are dropped. */
const MAX_WORKSPACES = 5_000;

type Silent = { runnerId: string; reason: string };
export type AskRunners = (options?: { anew: boolean }) => Promise<Silent[]>;

/**
 * Requests a report of workspaces from every connected runner at once, within 3 s, and stores the
 * results. Returns the runners that did not answer, with the reason. Requests within 5 s share one
 * round unless `anew`.
 */
export function createAskRunners(
  deps: Pick<Deps, 'db' | 'clock' | 'connections' | 'service'>,
): AskRunners {
  let round: { atMs: number; done: Promise<Silent[]> } | null = null;

  async function ask(): Promise<Silent[]> {
    const nowMs = deps.clock.nowMs();
    const silent: Silent[] = [];
    const statements: Statement[] = [];
    const all = (await allRunners(deps.db)).filter((row) => row.revoked_at_ms === null);
    const connected = await deps.connections.connected(all.map((row) => row.runner_id));
    await Promise.all(
      all.map(async ({ runner_id: runnerId }) => {
        if (!connected.has(runnerId)) {
          silent.push({ runnerId, reason: 'the runner is not connected' });
          return;
        }
        try {
          const answer = await deps.connections.call(
            runnerId,
            'workspaces.list',
            {},
            ANSWER_TIMEOUT_MS,
          );
          const listed = answer.workspaces.slice(0, MAX_WORKSPACES);
          statements.push(...replaceReport(deps.db, { runnerId, nowMs, workspaces: listed }));
        } catch (error) {
          silent.push({ runnerId, reason: errorMessage(error) });
        }
      }),
    );
    const [first, ...rest] = statements;
    if (first !== undefined) await deps.db.batch([first, ...rest]);
    return silent;
  }

  return async ({ anew } = { anew: false }) => {
    // A standby instance has no runners and must not write.
    if (deps.service.role === 'standby') return [];
    const nowMs = deps.clock.nowMs();
    if (!anew && round !== null && isWithin(nowMs, round.atMs, FRESH_MS)) return round.done;
    const ownRound = { atMs: nowMs, done: ask() };
    round = ownRound;
    try {
      return await ownRound.done;
    } catch (error) {
      if (round === ownRound) round = null;
      throw error;
    }
  };
}
