import type { AttemptEventItem } from '@switchyard/shared/protocol/attempt-event';
import { WINDOW_EVENTS } from '@switchyard/shared/protocol/limits';
import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import type { Bound, Deps } from '../../deps.ts';
import type { stopOverBudget } from '../../usage/stop-over-budget.ts';
import { leaseOfAttempt, type LeaseRow } from '../session/lease-of-attempt.ts';
import { type endForForeignThread, foreignThread } from '../session/foreign-thread.ts';
import { refuseClaim } from '../session/refuse-claim.ts';
import { MalformedEvent } from './fold-events.ts';
import type { storeEvents } from './store-events.ts';
import { finalError, type Replies, type RunnerSession } from '../session/runner-session.ts';

type EventDeps = Pick<Deps, 'db' | 'wake'> & {
  storeEvents: Bound<typeof storeEvents>;
  stopOverBudget: Bound<typeof stopOverBudget>;
  endForForeignThread: Bound<typeof endForForeignThread>;
};

/**
 * Handles `events`: stores a frame under its lease and acknowledges it after the commit. Repeated
 * events are skipped, a gap is answered with the last stored seq (the runner rewinds), and a lost
 * lease is fenced.
 */
export async function handleEvents(
  deps: EventDeps,
  session: RunnerSession,
  message: RunnerMessageOf<'events'>,
): Promise<Replies> {
  const known = session.leases.get(message.attemptId);
  if (known !== undefined) {
    const replies = await storeUnderKnown(deps, session, known, message);
    if (replies !== null) return replies;
    session.leases.delete(message.attemptId);
  }
  const row = await leaseOfAttempt(deps.db, message.attemptId);
  if (row === null || !holds(row, session, message.epoch)) {
    return [await refuseClaim(deps, session, message)];
  }
  const ref = { attemptId: message.attemptId, epoch: message.epoch };
  const contiguous = message.items.every((item, index) => item.seq === message.from + index);
  if (!contiguous)
    return [
      finalError('SEQUENCE', 'items are not numbered from `from` on', { attemptId: ref.attemptId }),
    ];
  const fresh = message.items.filter((item) => item.seq > row.last_seq);
  if (message.from > row.last_seq + 1 || fresh.length === 0) {
    return [{ type: 'ack', ...ref, upto: row.last_seq, window: WINDOW_EVENTS }];
  }
  let replies: Replies | null;
  try {
    replies = await store(deps, session, row, fresh);
  } catch (error) {
    if (!(error instanceof MalformedEvent)) throw error;
    return [finalError('EVENT_INVALID', error.message, { attemptId: ref.attemptId })];
  }
  if (replies !== null) return replies;
  const refused = await refuseClaim(deps, session, message);
  if (refused.type === 'fence') return [refused];
  const others = await foreignThread(deps, row, fresh);
  if (others !== null) {
    await deps.endForForeignThread(session, row, others);
    deps.wake();
    return [await refuseClaim(deps, session, message)];
  }
  // Another frame of the same lease was stored first; the runner continues from its end.
  const now = await leaseOfAttempt(deps.db, message.attemptId);
  return [{ type: 'ack', ...ref, upto: now?.last_seq ?? row.last_seq, window: WINDOW_EVENTS }];
}

/**
 * Stores events that directly follow those this session stored last. The fenced write proves the
 * lease, so nothing is read first. Null for any other frame, which needs a read.
 */
async function storeUnderKnown(
  deps: EventDeps,
  session: RunnerSession,
  row: LeaseRow,
  message: RunnerMessageOf<'events'>,
): Promise<Replies | null> {
  const next = row.last_seq + 1;
  const follows = message.items.every((item, index) => item.seq === next + index);
  if (message.from !== next || !follows || !holds(row, session, message.epoch)) return null;
  try {
    return await store(deps, session, row, message.items);
  } catch (error) {
    if (error instanceof MalformedEvent) return null;
    throw error;
  }
}

/**
 * Stores and acknowledges the events and acts on what they changed; null on a conflict. Throws
 * MalformedEvent.
 */
async function store(
  deps: EventDeps,
  session: RunnerSession,
  row: LeaseRow,
  items: readonly AttemptEventItem[],
): Promise<Replies | null> {
  const stored = await deps.storeEvents(session, row, items);
  if (stored === null) return null;
  // Wakes the jobs so that people see the question at once, not at the next tick.
  if (stored.changesRequests) deps.wake();
  if (stored.used !== undefined) await deps.stopOverBudget(row, stored.used);
  const { attempt_id: attemptId, epoch } = row;
  return [{ type: 'ack', attemptId, epoch, upto: stored.lastSeq, window: WINDOW_EVENTS }];
}

function holds(row: LeaseRow, session: RunnerSession, epoch: number): boolean {
  return (
    row.epoch === epoch &&
    row.runner_id === session.runnerId &&
    row.status === 'running' &&
    row.released_at_ms === null
  );
}
