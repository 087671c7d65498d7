import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { and, eq, sql } from 'drizzle-orm';
import type { Statement } from '../../db/database.ts';
import { requireChange } from '../../db/require-change.ts';
import { type IssueRow, issues } from '../../db/schema/work/issues.ts';
import type { Deps } from '../../deps.ts';
import { appendEvents } from '../../observe/events/append.ts';

/** Tells people something about an issue whose status stays. Fenced when it changed meanwhile. */
export async function noteReason(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  issue: IssueRow,
  { reason, code }: { reason: string; code: ReasonCode },
  extra: readonly Statement[] = [],
): Promise<void> {
  const { identifier, id: issueId, status } = issue;
  const nowMs = clock.nowMs();
  await db.batch([
    db
      .update(issues)
      .set({ reason, reason_code: code, version: sql`${issues.version} + 1` })
      .where(
        and(
          eq(issues.tracker, issue.tracker),
          eq(issues.id, issueId),
          eq(issues.version, issue.version),
        ),
      ),
    requireChange(db),
    ...extra,
    ...appendEvents(db, nowMs, [
      {
        type: 'issue.updated',
        atMs: nowMs,
        data: { identifier, issueId, status, reason, reasonCode: code },
      },
    ]),
  ]);
}
