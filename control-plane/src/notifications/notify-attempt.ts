import {
  isScriptedModel,
  SCRIPTED_SUFFIX,
} from '@switchyard/shared/model-providers/scripted-model';
import type { Database, Statement } from '../db/database.ts';
import type { AttemptRow } from '../db/schema/work/attempts.ts';
import { type EndView, noticeOfEnd } from './decide.ts';
import { notify } from './notify.ts';

type Attempt = Pick<
  AttemptRow,
  'attempt_id' | 'tracker' | 'issue_id' | 'identifier' | 'number' | 'epoch'
>;

function issueOf(attempt: Attempt) {
  return { tracker: attempt.tracker, id: attempt.issue_id, identifier: attempt.identifier };
}

/**
 * A stable notification id: the same event of an attempt gives the same id. `what` begins with a
 * letter (`a-`, `b-`, `c-`), so that ids sort in the order in which the events happen.
 */
function idOf(attempt: Pick<Attempt, 'attempt_id' | 'epoch'>, what: string): string {
  return `ntf_${attempt.attempt_id.replace(/^att_/, '')}-${attempt.epoch}-${what}`;
}

/** Notifies people that the agent of an attempt has begun to work. */
export function notifyAttemptLaunched(
  db: Database,
  nowMs: number,
  attempt: Attempt & Pick<AttemptRow, 'runner_id'>,
): Statement[] {
  return notify(db, nowMs, {
    id: idOf(attempt, 'a-launched'),
    type: 'worker_launched',
    message: `Attempt ${attempt.number} of ${attempt.identifier} has started`,
    issue: issueOf(attempt),
    attempt: attempt.number,
    metadata: { attemptId: attempt.attempt_id, runnerId: attempt.runner_id },
  });
}

/** Notifies people how an attempt ended, unless that end needs no notice. */
export function notifyAttemptEnded(
  db: Database,
  nowMs: number,
  attempt: Attempt & Pick<AttemptRow, 'model'>,
  end: Omit<EndView, 'identifier' | 'number' | 'onTrial'> & {
    failureKind: string | null;
    nextRetryAtMs: number | null;
  },
): Statement[] {
  const notice = noticeOfEnd({
    ...end,
    identifier: attempt.identifier,
    number: attempt.number,
    onTrial: isScriptedModel(attempt.model),
  });
  if (notice === null) return [];
  const { failureKind, nextRetryAtMs } = end;
  return notify(db, nowMs, {
    id: idOf(attempt, 'b-ended'),
    ...notice,
    issue: issueOf(attempt),
    attempt: attempt.number,
    metadata: {
      attemptId: attempt.attempt_id,
      reasonCode: end.reasonCode,
      ...(failureKind === null ? {} : { failureKind }),
      ...(nextRetryAtMs === null ? {} : { nextRetryAt: new Date(nextRetryAtMs).toISOString() }),
    },
  });
}

/** Notifies people that an agent asks a question. */
export function notifyAttemptAsked(
  db: Database,
  nowMs: number,
  attempt: Pick<Attempt, 'attempt_id' | 'tracker' | 'issue_id' | 'identifier' | 'number'>,
  request: { requestId: string; question: string },
): Statement[] {
  return notify(db, nowMs, {
    id: `ntf_${request.requestId}`,
    type: 'input_requested',
    message: `The agent on ${attempt.identifier} asks: ${request.question}`,
    issue: issueOf({ ...attempt, epoch: 0 }),
    attempt: attempt.number,
    metadata: { attemptId: attempt.attempt_id, requestId: request.requestId },
    dedupeKey: `input_requested:${request.requestId}`,
  });
}

/** Notifies people that a pull request was opened. */
export function notifyPullRequest(
  db: Database,
  nowMs: number,
  attempt: Attempt & Pick<AttemptRow, 'model'>,
  pullRequest: { url: string; draft: boolean },
): Statement[] {
  const mark = isScriptedModel(attempt.model) ? SCRIPTED_SUFFIX : '';
  return notify(db, nowMs, {
    id: idOf(attempt, pullRequest.draft ? 'c-draft' : 'c-pull-request'),
    type: 'pull_request_opened',
    message: `A ${pullRequest.draft ? 'draft pull request' : 'pull request'} for ${attempt.identifier} is open${mark}`,
    issue: issueOf(attempt),
    attempt: attempt.number,
    metadata: { attemptId: attempt.attempt_id, pullRequestUrl: pullRequest.url },
  });
}
