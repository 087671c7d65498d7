import { and, eq, gt, lt, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { attemptById } from '../../attempts/queries.ts';
import { deleteUndelivered, sendSteers } from '../../attempts/rows/store-steers.ts';
import { commitChange } from '../../observe/events/commit-change.ts';
import { SERVICE_CALLER } from '../../http/caller/caller.ts';
import type { FeedbackItem } from '../../ports/code-host/code-host.ts';
import type { Database, Statement } from '../../db/database.ts';
import { attempts } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { PullRequestRow } from '../../db/schema/work/pull-requests.ts';
import { steers } from '../../db/schema/work/requests.ts';
import type { Deps } from '../../deps.ts';
import { feedbackText } from './feedback-text.ts';

type Words = { items: readonly FeedbackItem[]; row: PullRequestRow; issue: IssueRow };

/**
 * Forwards feedback to the attempt that works on the issue. It is stored first; feedback that no
 * turn receives is found again after the attempt.
 */
export async function steerWithFeedback(
  deps: Pick<Deps, 'db' | 'clock' | 'connections'>,
  { row, issue, items }: Words,
): Promise<void> {
  const attemptId = issue.current_attempt_id;
  if (attemptId === null) return;
  const { db } = deps;
  const attempt = await attemptById(db, attemptId);
  if (attempt === null) return;
  const nowMs = deps.clock.nowMs();
  const orders = items.map((item) => ({
    messageId: messageIdOf(row, item.key),
    text: feedbackText({ url: row.url, items: [item] }),
    actor: item.from,
  }));
  const keys = items.map(({ key }) => key);
  const caller = { ...SERVICE_CALLER, path: 'feedback' };
  const { identifier } = issue;
  const data = { identifier, pullRequestId: row.id, attemptId, keys, started: false };
  await commitChange(deps, {
    also: [...sendSteers(db, nowMs, attempt, orders)],
    audit: {
      caller,
      operation: 'issue.steer',
      subject: identifier,
      details: { pullRequestId: row.id, attemptId, keys },
    },
    events: [{ type: 'pull_request.feedback', data }],
    nowMs,
  });
  // A lost message is repeated with the next lease renewal.
  const { status, runner_id: runnerId, epoch } = attempt;
  if (status !== 'running' || runnerId === null) return;
  deps.connections.send(
    runnerId,
    orders.map(({ messageId, text }) => ({
      type: 'steer',
      attemptId,
      epoch,
      steer: { messageId, text },
    })),
  );
}

/** Keys of pull request messages that agents received (`heard`) or that are being delivered. */
export async function steeredKeys(
  db: Database,
  pullRequestId: string,
): Promise<{ heard: Set<string>; underWay: Set<string> }> {
  const carrier = alias(attempts, 'carrier');
  const rows = await db
    .select({
      messageId: steers.message_id,
      heard: sql<number>`${steers.delivered_at_ms} is not null or coalesce(${carrier.turn_count}, 0) > 0`,
    })
    .from(steers)
    .leftJoin(carrier, eq(carrier.attempt_id, steers.carried_by))
    // A range on the primary key: `;` is the character after `:`.
    .where(
      and(gt(steers.message_id, `${pullRequestId}:`), lt(steers.message_id, `${pullRequestId};`)),
    );
  const found = { heard: new Set<string>(), underWay: new Set<string>() };
  for (const { messageId, heard: received } of rows) {
    const key = messageId.slice(pullRequestId.length + 1);
    found[received === 1 ? 'heard' : 'underWay'].add(key);
  }
  return found;
}

/** Deletes undelivered messages that become part of a round, so that no agent gets them twice. */
export function forgetUndelivered(
  db: Database,
  row: PullRequestRow,
  keys: readonly string[],
): Statement {
  return deleteUndelivered(
    db,
    keys.map((key) => messageIdOf(row, key)),
  );
}

function messageIdOf(row: Pick<PullRequestRow, 'id'>, key: string): string {
  return `${row.id}:${key}`;
}
