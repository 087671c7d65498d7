import { baseOfWork } from '@switchyard/shared/reasons/base-of-work';
import { NEEDS_PERSON } from '@switchyard/shared/reasons/needs-person';
import { workInProgressRef } from '@switchyard/shared/protocol/work-in-progress-ref';
import { workspaceKeyOf } from '@switchyard/shared/protocol/workspace-key';
import { branchOfIssue } from '../attempts/identity/branch-of-issue.ts';
import { ownCommits } from '../attempts/identity/own-commits.ts';
import type { AttemptRow } from '../db/schema/work/attempts.ts';
import type { IssueRow } from '../db/schema/work/issues.ts';
import type { Deps } from '../deps.ts';
import { AppError } from '../errors.ts';
import { pushingRunner } from '../runners/blobs/pushing-runner.ts';

/** Timeout of the call; the runner's push may continue, and the next try finds its result. */
export const PUSH_TIMEOUT_MS = 60_000;

/** Error codes that may concern one runner only, since it may lack another runner's access. */
const OF_RUNNER: ReadonlySet<string> = new Set([
  'host_auth_failed',
  'repository_missing',
  'repository_refused',
]);

type KeptWork = {
  commitSha: string;
  branch: string;
  onlyByOwn?: boolean;
  isDelivered?: boolean;
};

/** Whether the same push would fail again until a person acts. */
export function needsPerson(error: unknown): boolean {
  return error instanceof AppError && NEEDS_PERSON.has(error.reason ?? '');
}

/**
 * Makes a runner move an issue's branch to a stored commit of an attempt. Idempotent. Resolves with
 * the branch (another name if its own belongs to another issue) and the base, which is the remote's
 * default branch if the original base was deleted. Throws AppError: `unavailable` without a runner,
 * `upstream_failed` with the remote's message, `conflict` when the configured base branch was
 * deleted.
 */
export async function pushKeptWork(
  deps: Pick<Deps, 'db' | 'connections' | 'config'>,
  attempt: AttemptRow,
  issue: IssueRow,
  work: KeptWork,
): Promise<{ branch: string; base: string }> {
  const { repository_url: url, base_branch: base, runner_id: ownId } = attempt;
  const { commitSha } = work;
  const configured = await configuredBase(deps, attempt);
  const repository = { url, ...(configured === undefined ? {} : { defaultBranch: configured }) };
  const runnerId = await pushingRunner(deps, issue.labels, ownId);
  if (work.onlyByOwn === true && runnerId !== ownId) {
    const message = 'the runner that keeps the work is not connected';
    throw new AppError('unavailable', message, { reason: 'runner_offline' });
  }
  const [branch, commits] = await Promise.all([
    branchOfIssue(deps.db, { ...issue, branch: work.branch }, url),
    ownCommits(deps.db, issue, attempt),
  ]);
  const ref = workInProgressRef(workspaceKeyOf(attempt.spec));
  const params = {
    repository,
    ref,
    commitSha,
    branch,
    ownCommits: commits,
    ...(base === null ? {} : { baseBranch: base }),
    ...(work.isDelivered === true ? { isDelivered: true } : {}),
  };
  const { baseBranch, baseIsGone } = await deps.connections
    .call(runnerId, 'branch.publish', params, PUSH_TIMEOUT_MS)
    .catch((error: unknown) => {
      const isOwn = runnerId === ownId || !(error instanceof AppError);
      if (isOwn || !OF_RUNNER.has(error.reason ?? '')) throw error;
      throw new AppError(error.code, error.message, { reason: 'other_runner' });
    });
  const remote = { baseIsGone: baseIsGone === true, remoteBase: baseBranch };
  const meant = baseOfWork({ base, ...remote, configured });
  if ('branch' in meant) return { branch, base: meant.branch };
  throw new AppError('conflict', meant.missing, { reason: 'base_missing' });
}

/**
 * The base branch of the present route, which a person may have changed to make the delivery
 * possible.
 */
async function configuredBase(
  { config }: Pick<Deps, 'config'>,
  { repository_url: url, spec }: AttemptRow,
): Promise<string | undefined> {
  const routes = (await config.load()).repos.filter((route) => route.url === url);
  const [route] = routes;
  // With several routes to one repository, only the specification tells the right base branch.
  return routes.length === 1 ? route?.default_branch : spec.repository.defaultBranch;
}
