import { type SQL, sql } from 'drizzle-orm';
import type { AttemptEventItem } from '@switchyard/shared/protocol/attempt-event';
import { cutText } from '@switchyard/shared/text/cut-text';
import { cancelledEnding, type Ending } from '../../attempts/decide.ts';
import { countEndedAttempt } from '../../attempts/count-ended-attempt.ts';
import { endAttemptSteps } from '../../attempts/end-attempt-steps.ts';
import { attemptWithIssue } from '../../attempts/queries.ts';
import type { Deps } from '../../deps.ts';
import { commitChange } from '../../observe/events/commit-change.ts';
import { isUnchangedSinceRead } from './is-unchanged-since-read.ts';
import type { LeaseRow } from './lease-of-attempt.ts';
import type { RunnerSession } from './runner-session.ts';

const MAX_SHOWN_CHARS = 100;

type ForeignThread = { threadId: string; identifier: string };

/** Condition that an attempt belongs to another issue and has this thread. */
function ofOthers(row: LeaseRow, threadId: string): SQL {
  return sql`from attempts o where (o.thread_id = ${threadId}
      or o.attempt_id = substr(${threadId}, 1, instr(${threadId} || '/', '/') - 1))
    and (o.tracker <> ${row.tracker} or o.issue_id <> ${row.issue_id})`;
}

/** Condition that the thread belongs to another issue: the first issue that used it owns it. */
export function isForeignThread(row: LeaseRow, threadId: string): SQL {
  return sql`exists (select 1 ${ofOthers(row, threadId)})`;
}

/** The first thread among the events that another issue owns, with that issue; null: none. */
export async function foreignThread(
  { db }: Pick<Deps, 'db'>,
  row: LeaseRow,
  items: readonly AttemptEventItem[],
): Promise<ForeignThread | null> {
  for (const { kind, payload } of items) {
    const { threadId } = payload;
    if (kind !== 'thread' || typeof threadId !== 'string') continue;
    const found = await db.all<{ identifier: string }>(
      sql`select o.identifier ${ofOthers(row, threadId)} limit 1`,
    );
    if (found[0] !== undefined) return { threadId, identifier: found[0].identifier };
  }
  return null;
}

/**
 * Ends an attempt whose engine reports a thread of another issue, since their events could not be
 * told apart on any runner. The runner is fenced.
 */
export async function endForForeignThread(
  deps: Pick<Deps, 'db' | 'clock' | 'metrics' | 'config'>,
  session: RunnerSession,
  row: LeaseRow,
  { threadId, identifier }: ForeignThread,
): Promise<void> {
  const pair = await attemptWithIssue(deps.db, row.attempt_id);
  if (pair?.attempt.epoch !== row.epoch) return;
  const name = JSON.stringify(cutText(threadId, MAX_SHOWN_CHARS));
  const nowMs = deps.clock.nowMs();
  const { attempt, issue } = pair;
  const shared: Ending = {
    outcome: 'failed',
    failureKind: 'agent_error',
    code: 'session_shared',
    message: `the agent engine calls its session ${name}, as one that belongs to ${identifier} is called`,
    marker: null,
    resetAtMs: null,
  };
  // A requested stop decides the ending, so that the attempt does not continue by itself.
  const ending =
    attempt.cancel_requested_at_ms === null
      ? shared
      : cancelledEnding(attempt.cancel_reason, attempt.cancel_kind, attempt.reason_code);
  const { steps } = endAttemptSteps(deps.db, {
    attempt,
    issue,
    ending,
    nowMs,
    fence: true,
    onlyIf: isUnchangedSinceRead(session, attempt),
    policy: (await deps.config.load()).agent,
  });
  if (await commitChange(deps, { also: steps, nowMs }))
    countEndedAttempt(deps.metrics, attempt, ending.outcome);
}
