import type { IssueDetail } from '@switchyard/shared/api/issue';
import { attemptRecord } from '../attempts/attempt-record.ts';
import { attemptsOfIssue } from '../attempts/queries.ts';
import type { Deps } from '../deps.ts';
import { AppError } from '../errors.ts';
import { recentAttemptEvents } from '../events/queries.ts';
import { issueRecord } from './issue-record.ts';
import { issueByIdentifier } from './queries.ts';

const RECENT_EVENTS = 50;
const ATTEMPTS_SHOWN = 100;

/** The issue with its attempts and the newest events of the last one. */
export async function getIssueDetail(
  deps: Pick<Deps, 'db' | 'service'>,
  input: { identifier: string },
): Promise<IssueDetail> {
  const issue = await issueByIdentifier(deps.db, input.identifier);
  if (issue === null) throw new AppError('not_found', `issue ${input.identifier} not found`);
  const attempts = await attemptsOfIssue(deps.db, issue, ATTEMPTS_SHOWN);
  const newest = attempts[0];
  const isLive = newest?.status === 'running' || newest?.status === 'queued';
  const live = newest !== undefined && isLive ? newest : null;
  return {
    ...issueRecord(issue, deps.service.publicOrigin),
    recentEvents:
      newest === undefined
        ? []
        : await recentAttemptEvents(deps.db, newest.attempt_id, RECENT_EVENTS),
    attempts: attempts.map((row) => attemptRecord(row, deps.service.publicOrigin)),
    currentAttemptId: issue.current_attempt_id,
    startedAt:
      live === null || live.started_at_ms === null
        ? null
        : new Date(live.started_at_ms).toISOString(),
    phase: live?.phase ?? null,
  };
}
