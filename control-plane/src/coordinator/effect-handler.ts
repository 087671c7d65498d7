import { issueById } from '../issues/queries.ts';
import { issueEvent } from '../issues/rows/issue-event.ts';
import { trackerChangeOf } from '../issues/tracker-failures.ts';
import { appendEvents } from '../observe/events/append-events.ts';
import { CodeHostError } from '../ports/code-host/code-host.ts';
import type { Statement } from '../db/database.ts';
import { errorMessage } from '../error-message.ts';
import { AppError } from '../errors.ts';
import type { JobRow } from '../db/schema/operation/jobs.ts';
import type { Bound, Deps } from '../deps.ts';
import { retryAtMs } from '../jobs/queue/retry-delay-ms.ts';
import { JobFailed, type JobHandler, JobRefused, JobWaits } from '../jobs/queue/run-jobs.ts';
import { TrackerError } from '../ports/tracker/tracker.ts';
import type {
  failDelivery,
  noteRepeatedDelivery,
} from '../pull-requests/delivery/open-pull-request.ts';
import { needsPerson, PUSH_TIMEOUT_MS } from '../pull-requests/push-kept-work.ts';

/** How long a delivery that begins with a push is claimed. */
const PUSH_CLAIM_MS = 2 * PUSH_TIMEOUT_MS;

/** Errors that mean that no runner received the request to push. */
const AWAY: ReadonlySet<string> = new Set(['no_runner', 'runner_offline']);

/** Performs the effect of one row. Throws JobRefused when it can never be performed. */
export type PerformEffect = (row: JobRow) => Promise<void>;

type EffectDeps = Pick<Deps, 'db' | 'clock'> & {
  performEffect: PerformEffect;
  noteRepeatedDelivery: Bound<typeof noteRepeatedDelivery>;
  failDelivery: Bound<typeof failDelivery>;
};

/** Runs effects on the outside world. Giving up on a pull request ends its attempt. */
export function effectHandler(deps: EffectDeps): JobHandler {
  return {
    async run(job) {
      const end = attemptEffect(deps, job);
      // A slow push runs in the background, so that other effects do not wait.
      if (job.payload['push'] === true) return { end, withinMs: PUSH_CLAIM_MS };
      return end;
    },
    async givenUp(job, end) {
      if (job.kind === 'codehost.open_pull_request') await deps.failDelivery(job, end);
    },
  };
}

async function attemptEffect(deps: EffectDeps, job: JobRow): Promise<readonly Statement[]> {
  try {
    await deps.performEffect(job);
    return job.tries === 0 ? [] : await showsFailures(deps, job);
  } catch (error) {
    const statements = await showsFailures(deps, job);
    // An error that is final is not retried.
    if (isFinal(error) || error instanceof JobRefused)
      throw new JobRefused(error.message, { statements });
    const message = errorMessage(error);
    if (job.kind !== 'codehost.open_pull_request')
      throw new JobFailed(message, { statements, retryAtMs: retryAtMs(error) });
    const isAway = error instanceof AppError && AWAY.has(error.reason ?? '');
    await deps.noteRepeatedDelivery(job, { message, isNews: !isAway });
    throw isAway ? new JobWaits(message) : error;
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
