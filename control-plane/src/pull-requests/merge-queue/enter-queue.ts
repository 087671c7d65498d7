import { eq } from 'drizzle-orm';
import { routeForIssue } from '../../config/repositories/route-for-issue.ts';
import { pullRequests } from '../../db/schema/work/pull-requests.ts';
import type { Database } from '../../db/database.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { commitChange } from '../../observe/events/commit-change.ts';
import { mergeRulesOf } from './merge-rules-of.ts';
import { newMergeEntry, QUEUED } from './new-merge-entry.ts';
import type { MergeCandidate } from './queries.ts';
import { insertMergeEntry, moveMergeEntry } from './move-merge-entry.ts';
import { withCandidate } from './with-candidate.ts';

/**
 * Queues a pull request for its merge at a person's request, also one that was held. One that waits
 * or is tested stays as it is. Throws a 404, or a 409 with what prevents it.
 */
export async function enterQueue(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'wake'>,
  input: { pullRequestId: string; caller: Caller },
): Promise<void> {
  const { pullRequestId, caller } = input;
  await withCandidate(deps, pullRequestId, async (candidate) => {
    if (candidate === undefined) throw await whyNotQueued(deps.db, pullRequestId);
    await refuseEntry(deps, candidate);
    return enter(deps, candidate, caller);
  });
}

async function refuseEntry(
  { config }: Pick<Deps, 'config'>,
  { pullRequest, issue }: MergeCandidate,
): Promise<void> {
  const { id, status, draft, repository_url: url } = pullRequest;
  if (status !== 'open') throw new AppError('conflict', `pull request ${id} is already ${status}`);
  if (draft) throw new AppError('conflict', `pull request ${id} is a draft: finish its work first`);
  const route = routeForIssue(issue, (await config.load()).repos);
  const { whyNot } = mergeRulesOf(route, url);
  if (whyNot !== null) throw new AppError('conflict', whyNot);
}

function enter(
  deps: Pick<Deps, 'db' | 'clock'>,
  { pullRequest, issue, entry }: MergeCandidate,
  caller: Caller,
): Promise<boolean> {
  const { db } = deps;
  const nowMs = deps.clock.nowMs();
  if (entry?.state === 'waiting' || entry?.state === 'testing') return Promise.resolve(true);
  const place = {
    state: 'waiting',
    reason: QUEUED,
    reason_code: 'merge_queued',
    commit_sha: pullRequest.commit_sha,
    base: pullRequest.base,
    entered_by: caller.actor,
    entered_at_ms: nowMs,
    tries: 0,
    not_before_ms: null,
  } as const;
  const { identifier } = issue;
  const also =
    entry === null
      ? insertMergeEntry(db, newMergeEntry({ pullRequest, issue }, nowMs, place), identifier)
      : moveMergeEntry(db, nowMs, { entry, identifier }, place);
  const details = { id: pullRequest.id, commitSha: pullRequest.commit_sha };
  const audit = { caller, operation: 'pull_request.queue', subject: identifier, details };
  return commitChange(deps, { also, audit, nowMs });
}

/** Why a pull request cannot be in the merge queue: it does not exist, or is on another host. */
async function whyNotQueued(db: Database, id: string): Promise<AppError> {
  const [row] = await db.select().from(pullRequests).where(eq(pullRequests.id, id));
  if (row === undefined) return new AppError('not_found', `pull request ${id} not found`);
  const why =
    row.code_host === 'local' ? 'its issue is not recorded' : `it is merged there, at ${row.url}`;
  return new AppError('conflict', `pull request ${id} cannot be queued here: ${why}`);
}
