import type { MergeInRepository } from '../../ports/code-host/merge-in-repository.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { issueByIdentifier } from '../../issues/queries.ts';
import { connectedRunners } from '../../runners/session/connected-runners.ts';

/** A merge fetches, merges and pushes in the runner's mirror. */
const MERGE_TIMEOUT_MS = 60_000;

/**
 * Merges a branch through a connected runner, since the control plane never touches a repository.
 * Merges of one repository run one after another: of two concurrent ones the later push would be
 * refused.
 */
export function mergeThroughRunner(
  deps: Pick<Deps, 'db' | 'connections' | 'config'>,
): MergeInRepository {
  const merge = mergeAtOnce(deps);
  const last = new Map<string, Promise<unknown>>();
  return async (input) => {
    const before = last.get(input.repositoryUrl) ?? Promise.resolve();
    const own = before.then(
      () => merge(input),
      () => merge(input),
    );
    last.set(input.repositoryUrl, own);
    try {
      return await own;
    } finally {
      if (last.get(input.repositoryUrl) === own) last.delete(input.repositoryUrl);
    }
  };
}

function mergeAtOnce(deps: Pick<Deps, 'db' | 'connections' | 'config'>): MergeInRepository {
  return async (input) => {
    const issue = await issueByIdentifier(deps.db, input.issueIdentifier);
    const [runnerId] = await connectedRunners(deps, issue?.labels ?? []);
    if (runnerId === undefined) {
      throw new AppError('unavailable', 'no runner is connected that could merge', {
        reason: 'no_runner',
      });
    }
    const route = (await deps.config.load()).repos.find(
      (candidate) => candidate.url === input.repositoryUrl,
    );
    return deps.connections.call(
      runnerId,
      'pull_request.merge',
      {
        repository: {
          url: input.repositoryUrl,
          ...(route?.default_branch === undefined ? {} : { defaultBranch: route.default_branch }),
        },
        branch: input.branch,
        baseBranch: input.baseBranch,
        expectedCommit: input.expectedCommit,
        message: input.message,
      },
      MERGE_TIMEOUT_MS,
    );
  };
}
