import { type SQL, sql } from 'drizzle-orm';
import type { AttemptEventItem } from '@switchyard/shared/protocol/attempt-event';
import type { Deps } from '../../deps.ts';
import type { LeaseRow } from './lease-of-attempt.ts';

/** A thread belongs to the issue that used it first: nobody else may speak for it. */
export function isOthersThread(row: LeaseRow, threadId: string): SQL {
  return sql`exists (select 1 from attempts o where (o.thread_id = ${threadId}
      or o.attempt_id = substr(${threadId}, 1, instr(${threadId} || '/', '/') - 1))
    and (o.tracker <> ${row.tracker} or o.issue_id <> ${row.issue_id}))`;
}

/** Whose thread the items name that is not the attempt's to speak for, in words; null: none. */
export async function problemOfThread(
  { db }: Pick<Deps, 'db'>,
  row: LeaseRow,
  items: readonly AttemptEventItem[],
): Promise<string | null> {
  for (const { kind, payload } of items) {
    const { threadId } = payload;
    if (kind !== 'thread' || typeof threadId !== 'string') continue;
    const found = await db.get<{ isOthers: number }>(
      sql`select ${isOthersThread(row, threadId)} as isOthers`,
    );
    if (found.isOthers === 1) return 'the thread belongs to another issue';
  }
  return null;
}
