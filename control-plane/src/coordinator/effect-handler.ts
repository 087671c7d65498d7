import { issueById } from '../issues/queries.ts';
import { issueEvent } from '../issues/rows/issue-event.ts';
import { trackerChangeOf } from '../issues/tracker-failures.ts';
import { appendEvents } from '../observe/events/append-events.ts';
import type { IssueRow } from '../db/schema/work/issues.ts';
import { sendActivities } from '../people/agent-sessions/send-activities.ts';
import { CodeHostError } from '../ports/code-host/code-host.ts';
import type { Statement } from '../db/database.ts';
import { errorMessage } from '../error-message.ts';
import { AppError } from '../errors.ts';
import type { JobRow } from '../db/schema/operation/jobs.ts';
import type { Deps } from '../deps.ts';
import { Effect } from '../jobs/queue/effect.ts';
import { retryAtMs } from '../jobs/queue/retry-delay-ms.ts';
import { JobFailed, type JobHandler, JobRefused, JobWaits } from '../jobs/queue/run-jobs.ts';
import { publish } from '../pull-requests/delivery/publish-issue.ts';
import { finishMove } from '../issues/actions/record-move.ts';
import { TrackerError } from '../ports/tracker/tracker.ts';
import { deliverAndRecord } from '../pull-requests/delivery/deliver-again.ts';
import {
  failDelivery,
  noteRepeatedDelivery,
  openPullRequest,
} from '../pull-requests/delivery/open-pull-request.ts';
import { needsPerson, PUSH_TIMEOUT_MS } from '../pull-requests/push-kept-work.ts';
import { transitionIssue } from '../pull-requests/delivery/transition-issue.ts';
import { updateComment } from '../pull-requests/delivery/update-comment.ts';

/** How long a delivery that begins with a push is claimed. */
const PUSH_CLAIM_MS = 2 * PUSH_TIMEOUT_MS;

/** Errors that mean that no runner received the request to push. */
const AWAY: ReadonlySet<string> = new Set(['no_runner', 'runner_offline']);

/** Runs effects on the outside world. Giving up on a pull request ends its attempt. */
export function effectHandler(deps: Deps): JobHandler {
  return {
    async run(job) {
      const end = attemptEffect(deps, job);
      // A slow push runs in the background, so that other effects do not wait.
      if (job.payload['push'] === true) return { end, withinMs: PUSH_CLAIM_MS };
      return end;
    },
    async givenUp(job, end) {
      if (job.kind === 'codehost.open_pull_request') await failDelivery(deps, job, end);
    },
  };
}

async function attemptEffect(deps: Deps, job: JobRow): Promise<readonly Statement[]> {
  try {
    await performEffect(deps, job);
    return job.tries === 0 ? [] : await showsFailures(deps, job);
  } catch (error) {
    const statements = await showsFailures(deps, job);
    // An error that is final is not retried.
    if (isFinal(error) || error instanceof JobRefused)
      throw new JobRefused(error.message, { statements });
    const words = errorMessage(error);
    if (job.kind !== 'codehost.open_pull_request')
      throw new JobFailed(words, { statements, retryAtMs: retryAtMs(error) });
    const isAway = error instanceof AppError && AWAY.has(error.reason ?? '');
    await noteRepeatedDelivery(deps, job, { words, isNews: !isAway });
    throw isAway ? new JobWaits(words) : error;
  }
}

/**
 * Events that notify the viewers of an issue when its list of failed tracker changes has changed.
 */
async function showsFailures(deps: Pick<Deps, 'db' | 'clock'>, job: JobRow): Promise<Statement[]> {
  if (trackerChangeOf(job.kind) === null) return [];
  const subject = { tracker: job.tracker ?? '', id: job.issue_id ?? '' };
  const issue = await issueById(deps.db, subject);
  if (issue === null) return [];
  const nowMs = deps.clock.nowMs();
  return appendEvents(deps.db, nowMs, [{ ...issueEvent(issue), atMs: nowMs }]);
}

function isFinal(error: unknown): error is Error {
  return (
    (error instanceof TrackerError && error.isRefusal) ||
    (error instanceof CodeHostError && !error.retryable) ||
    needsPerson(error)
  );
}

async function performEffect(deps: Deps, row: JobRow): Promise<void> {
  const parsed = Effect.safeParse({ kind: row.kind, ...row.payload });
  // An effect that another version wrote must not block those after it.
  if (!parsed.success) throw new JobRefused('it was written by another version');
  const effect = parsed.data;
  switch (effect.kind) {
    case 'tracker.transition':
      return transitionIssue(deps, row, effect);
    case 'tracker.move':
      return finishMove(deps, await issueOf(deps, row), effect);
    case 'tracker.comment':
      return updateComment(deps, row);
    case 'tracker.attach': {
      const tracker = deps.trackers.get(row.tracker ?? '');
      if (tracker === undefined) throw new JobRefused('the tracker is gone');
      return tracker.attach(row.issue_id ?? '', { url: effect.url, title: effect.title });
    }
    case 'tracker.agent_session':
      return sendActivities(deps, { tracker: row.tracker ?? '', sessionId: effect.sessionId });
    case 'codehost.open_pull_request':
      return openPullRequest(deps, row, effect);
    case 'codehost.publish':
      await publish(deps, await issueOf(deps, row), effect.caller, []);
      return undefined;
    case 'codehost.deliver_again':
      await deliverAndRecord(deps, await issueOf(deps, row), effect.caller, []);
      return undefined;
  }
}

async function issueOf({ db }: Pick<Deps, 'db'>, row: JobRow): Promise<IssueRow> {
  const issue = await issueById(db, { tracker: row.tracker ?? '', id: row.issue_id ?? '' });
  if (issue === null) throw new JobRefused('the issue is gone');
  return issue;
}
