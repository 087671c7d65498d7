import type { AttemptList } from '@switchyard/shared/api/work/attempt';
import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import { attemptRecord } from '../attempts/attempt-record.ts';
import { issueFingerprintRow, issueWithAttempts, type ShownAttempt } from '../attempts/queries.ts';
import type { IssueRow } from '../db/schema/work/issues.ts';
import type { Deps } from '../deps.ts';
import { AppError } from '../errors.ts';
import { recentAttemptEvents } from '../observe/events/queries.ts';
import type { Versioned } from '../http/reuse-answers.ts';
import { versionOf } from '../version-of.ts';
import { issueRecord } from './issue-record.ts';
import { trackerFailures } from './tracker-failures.ts';

const RECENT_EVENTS = 50;
const ATTEMPTS_SHOWN = 100;
const ATTEMPTS_LISTED = 500;

type Needed = Pick<Deps, 'db' | 'service' | 'trackers'>;
type Read = { issue: IssueRow; attempts: ShownAttempt[] };

/** The issue with its attempts and the newest events of the last attempt. */
export async function getIssueDetail(
  deps: Needed,
  input: { identifier: string },
): Promise<Versioned<IssueDetail>> {
  // Each new event raises a number in the attempt's row, so the rows alone give the version.
  const version = await versionOfIssue(deps, input.identifier);
  return {
    version,
    answer: async () => detailOf(deps, await readIssue(deps, input.identifier, ATTEMPTS_SHOWN)),
  };
}

/** All attempts of an issue, newest first. */
export async function listAttempts(
  deps: Needed,
  input: { identifier: string },
): Promise<Versioned<AttemptList>> {
  const version = await versionOfIssue(deps, input.identifier);
  const answer = async () => {
    const { issue, attempts } = await readIssue(deps, input.identifier, ATTEMPTS_LISTED);
    return {
      attempts: attempts.map((row) => attemptRecord(row, deps.service.publicOrigin)),
      currentAttemptId: issue.current_attempt_id,
    };
  };
  return { version, answer };
}

async function readIssue(deps: Needed, identifier: string, limit: number): Promise<Read> {
  const read = await issueWithAttempts(deps.db, identifier, limit);
  if (read === null) throw notFound(identifier);
  return read;
}

async function versionOfIssue(deps: Needed, identifier: string): Promise<string> {
  const { db, service, trackers } = deps;
  const row = await issueFingerprintRow(db, identifier);
  if (row === null) throw notFound(identifier);
  const roles = trackers.get(row.tracker)?.stateRoles();
  return versionOf(JSON.stringify([service.publicOrigin, service.version, roles, row]));
}

const notFound = (identifier: string) => new AppError('not_found', `issue ${identifier} not found`);

async function detailOf(deps: Needed, { issue, attempts }: Read): Promise<IssueDetail> {
  const { publicOrigin } = deps.service;
  const newest = attempts[0];
  const isLive = newest?.status === 'running' || newest?.status === 'queued';
  const live = newest !== undefined && isLive ? newest : null;
  return {
    ...issueRecord(issue, publicOrigin),
    recentEvents:
      newest === undefined
        ? []
        : await recentAttemptEvents(deps.db, newest.attempt_id, RECENT_EVENTS),
    attempts: attempts.map((row) => attemptRecord(row, publicOrigin)),
    currentAttemptId: issue.current_attempt_id,
    startedAt:
      live === null || live.started_at_ms === null
        ? null
        : new Date(live.started_at_ms).toISOString(),
    phase: live?.phase ?? null,
    trackerFailures: await trackerFailures(deps, issue),
  };
}
