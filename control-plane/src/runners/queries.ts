import { and, asc, eq, inArray, isNull } from 'drizzle-orm';
import type { HeldItem } from '@switchyard/shared/protocol/messages';
import type { Database } from '../db/database.ts';
import { type AttemptRow, attempts } from '../db/schema/work/attempts.ts';
import { type IssueRow, issues } from '../db/schema/work/issues.ts';
import { type RequestRow, requests, steers } from '../db/schema/work/requests.ts';
import { type RunnerRow, runners } from '../db/schema/runners/runners.ts';

export async function runnerById(db: Database, runnerId: string): Promise<RunnerRow | null> {
  const rows = await db.select().from(runners).where(eq(runners.runner_id, runnerId)).limit(1);
  return rows[0] ?? null;
}

export async function allRunners(db: Database): Promise<RunnerRow[]> {
  return db.select().from(runners);
}

/** Condition for "a runner's lease covers this attempt": offered or running, not yet released. */
function heldAttempts() {
  return and(inArray(attempts.status, ['queued', 'running']), isNull(attempts.released_at_ms));
}

/** Attempts offered to or held by a runner. */
export async function attemptsOfRunner(db: Database, runnerId: string): Promise<AttemptRow[]> {
  return db
    .select()
    .from(attempts)
    .where(and(eq(attempts.runner_id, runnerId), heldAttempts()));
}

/** An attempt and a runner, in one read. */
export async function attemptAndRunner(
  db: Database,
  attemptId: string,
  runnerId: string,
): Promise<{ attempt: AttemptRow | null; runner: RunnerRow | null }> {
  const [[attempt], [runner]] = await db.batch([
    db.select().from(attempts).where(eq(attempts.attempt_id, attemptId)),
    db.select().from(runners).where(eq(runners.runner_id, runnerId)),
  ]);
  return { attempt: attempt ?? null, runner: runner ?? null };
}

/** An attempt with its issue and a runner, in one read. */
export async function attemptIssueAndRunner(
  db: Database,
  attemptId: string,
  runnerId: string,
): Promise<{ attempt: AttemptRow; issue: IssueRow; runner: RunnerRow } | null> {
  const rows = await db
    .select({ attempt: attempts, issue: issues, runner: runners })
    .from(attempts)
    .innerJoin(issues, and(eq(issues.tracker, attempts.tracker), eq(issues.id, attempts.issue_id)))
    .innerJoin(runners, eq(runners.runner_id, runnerId))
    .where(eq(attempts.attempt_id, attemptId));
  return rows[0] ?? null;
}

/** A runner and what it was offered or holds, in one read. */
export async function runnerWithAttempts(
  db: Database,
  runnerId: string,
): Promise<{ runner: RunnerRow | null; held: AttemptRow[] }> {
  const [[runner], held] = await db.batch([
    db.select().from(runners).where(eq(runners.runner_id, runnerId)),
    db
      .select()
      .from(attempts)
      .where(and(eq(attempts.runner_id, runnerId), heldAttempts())),
  ]);
  return { runner: runner ?? null, held };
}

/** The rows by which an inventory is judged. */
export type InventoryRows = [
  attempts: AttemptRow[],
  /** Answers to questions that the engine has not confirmed. */
  answers: RequestRow[],
  /** Messages that are not confirmed as delivered, oldest first. */
  steers: (typeof steers.$inferSelect)[],
];

/**
 * The reads that `judgeInventory` needs; put them at the end of a batch, so that they see its
 * changes.
 */
export function inventoryReads(db: Database, held: readonly HeldItem[]) {
  const attemptIds = [...new Set(held.map((item) => item.attemptId))];
  return [
    db.select().from(attempts).where(inArray(attempts.attempt_id, attemptIds)),
    db
      .select()
      .from(requests)
      .where(and(inArray(requests.attempt_id, attemptIds), eq(requests.state, 'answered'))),
    db
      .select()
      .from(steers)
      .where(and(inArray(steers.attempt_id, attemptIds), isNull(steers.delivered_at_ms)))
      .orderBy(asc(steers.created_at_ms), asc(steers.message_id)),
  ] as const;
}
