import { routeForIssue } from '../../config/repositories/route-for-issue.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { beginReview } from './begin-review.ts';
import { type ReviewCandidate } from './queries.ts';
import { withReviewed } from './with-reviewed.ts';

/**
 * Begins a review of a pull request's present commit at a person's request, whatever the policy of
 * its repository. Throws a 404, or a 409 with what prevents it.
 */
export async function askReview(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'wake'>,
  { pullRequestId, caller }: { pullRequestId: string; caller: Caller },
): Promise<void> {
  const { repos } = await deps.config.load();
  await withReviewed(deps.db, pullRequestId, (candidate) => {
    const isRouted =
      routeForIssue(candidate.issue, repos)?.url === candidate.pullRequest.repository_url;
    const problem = isRouted ? whyNot(candidate) : 'its repository is not configured for its issue';
    if (problem !== null) throw new AppError('conflict', `it cannot be reviewed now: ${problem}`);
    return beginReview(deps, candidate, { caller });
  });
  deps.wake();
}

function whyNot({ pullRequest, issue, last }: ReviewCandidate): string | null {
  if (pullRequest.status !== 'open') return `the pull request is ${pullRequest.status}`;
  if (pullRequest.draft) return 'it is a draft; finish its work first';
  if (issue.on_trial) return 'a trial’s scripted model made it';
  if (last?.state === 'running') return 'a review of it runs already';
  if (issue.status === 'completed') return null;
  return issue.status === 'queued' || issue.status === 'running' || issue.status === 'retrying'
    ? `issue ${issue.identifier} is worked on`
    : `issue ${issue.identifier} is ${issue.status}`;
}
