import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type { CallValue } from '@switchyard/shared/protocol/calls';
import type { Deps } from '../../deps.ts';
import { connectedRunners } from '../session/connected-runners.ts';
import { errorMessage } from '../../error-message.ts';

/** Timeout of a runner's answer; with a slow remote it answers from its mirror after 4 s. */
const ANSWER_TIMEOUT_MS = 8_000;
/** Runners that are tried in turn, since some may lack access to the repository. */
const MAX_RUNNERS_TRIED = 3;
const NO_RUNNER = 'no runner is connected';

export type RepositoryContext =
  | { ok: true; runnerId: string; value: CallValue<'git.context'> }
  /** `isAsked`: a runner gave this problem; otherwise no runner could be asked. */
  | { ok: false; isAsked: boolean; reason: string };

/** Queries connected runners, one after another, for the branches of a route's repository. */
export async function askForContext(
  deps: Pick<Deps, 'db' | 'connections'>,
  route: Pick<RepoRoute, 'url' | 'default_branch' | 'label'>,
): Promise<RepositoryContext> {
  const runnerIds = await connectedRunners(deps, route.label === undefined ? [] : [route.label]);
  const repository = {
    url: route.url,
    ...(route.default_branch === undefined ? {} : { defaultBranch: route.default_branch }),
  };
  let reason = NO_RUNNER;
  for (const runnerId of runnerIds.slice(0, MAX_RUNNERS_TRIED)) {
    try {
      const value = await deps.connections.call(
        runnerId,
        'git.context',
        { repository },
        ANSWER_TIMEOUT_MS,
      );
      return { ok: true, runnerId, value };
    } catch (error) {
      reason = errorMessage(error);
    }
  }
  return { ok: false, isAsked: runnerIds.length > 0, reason };
}
