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

/** The runner's own push goes on for longer; asking again finds what it did. */
export const PUSH_TIMEOUT_MS = 60_000;

/** Of a runner that has not done the work: it may lack access that the one which did has. */
const OF_RUNNER: ReadonlySet<string> = new Set([
  'host_auth_failed',
  'repository_missing',
  'repository_refused',
]);

/** Whether a push that failed like this fails again until a person has done something. */
export function needsPerson(error: unknown): boolean {
  return error instanceof AppError && NEEDS_PERSON.has(error.reason ?? '');
}

/**
 * Has a runner move a branch of ours to a commit that is kept of an attempt. Doing it twice changes
 * nothing. Answers where the work is now: on its own branch, on another name where that belongs to
 * another issue, and the base that it is meant for: the remote's default branch where the one that it
 * began on is gone. Throws AppError: `unavailable` without a runner, `upstream_failed` with
 * the words of the remote, `conflict` when the branch that the route configures is gone.
 */
export async function pushKeptWork(
  deps: Pick<Deps, 'db' | 'sockets' | 'calls' | 'config'>,
  attempt: AttemptRow,
  issue: IssueRow,
  work: { commitSha: string; branch: string; onlyByOwn?: boolean; isDelivered?: boolean },
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
  const { baseBranch, baseIsGone } = await deps.calls
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

/** As the route stands now: a person may have changed it so that this can be delivered. */
async function configuredBase(
  { config }: Pick<Deps, 'config'>,
  { repository_url: url, spec }: AttemptRow,
): Promise<string | undefined> {
  const routes = (await config.load()).repos.filter((route) => route.url === url);
  const [route] = routes;
  // Of several routes to one repository the attempt knows which was its own.
  return routes.length === 1 ? route?.default_branch : spec.repository.defaultBranch;
}
