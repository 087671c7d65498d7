import type { RepoRoute } from '@switchyard/shared/api/repo-route';
import type { CallValue } from '@switchyard/shared/protocol/calls';
import type { Deps } from '../deps.ts';
import { allRunners } from '../runners/queries.ts';

/** A runner answers from its mirror after 4 s if the remote is slow. */
const ANSWER_TIMEOUT_MS = 8_000;
/** A repository may lie on one runner alone; more than this many are not tried. */
const MAX_RUNNERS_TRIED = 3;
const NO_RUNNER = 'no runner is connected';

export type RepositoryContext =
  | { ok: true; runnerId: string; value: CallValue<'git.context'> }
  | { ok: false; reason: string };

/** Asks connected runners, one after another, for the branches of a route's repository. */
export async function askForContext(
  deps: Pick<Deps, 'sockets' | 'calls'>,
  runnerIds: readonly string[],
  route: Pick<RepoRoute, 'url' | 'default_branch'>,
): Promise<RepositoryContext> {
  const repository = {
    url: route.url,
    ...(route.default_branch === undefined ? {} : { defaultBranch: route.default_branch }),
  };
  let reason = NO_RUNNER;
  for (const runnerId of runnerIds.slice(0, MAX_RUNNERS_TRIED)) {
    try {
      const value = await deps.calls.call(
        runnerId,
        'git.context',
        { repository },
        ANSWER_TIMEOUT_MS,
      );
      return { ok: true, runnerId, value };
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
  }
  return { ok: false, reason };
}

/** Runners that can be asked now, those that take work first. */
export async function connectedRunners(deps: Pick<Deps, 'db' | 'sockets'>): Promise<string[]> {
  const rows = (await allRunners(deps.db)).filter((row) => row.revoked_at_ms === null);
  const connected = await deps.sockets.connected(rows.map((row) => row.runner_id));
  return rows
    .filter((row) => connected.has(row.runner_id))
    .toSorted((a, b) => Number(a.draining) - Number(b.draining))
    .map((row) => row.runner_id);
}
