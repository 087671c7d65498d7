import { type SQL, inArray, sql } from 'drizzle-orm';
import type { Database } from '../../../db/database.ts';
import { type LocalIssueRow, localIssues } from '../../../db/schema/work/local-issues.ts';
import { AppError } from '../../../errors.ts';

/** The issues with these identifiers, each once. Throws a 400 that names missing ones. */
export async function resolveBlockers(
  db: Database,
  identifiers: readonly string[],
): Promise<LocalIssueRow[]> {
  const wanted = [...new Set(identifiers.map((identifier) => identifier.trim()))];
  if (wanted.length === 0) return [];
  const rows = await db.select().from(localIssues).where(inArray(localIssues.identifier, wanted));
  const byIdentifier = new Map(rows.map((row) => [row.identifier, row]));
  const missing = wanted.filter((identifier) => !byIdentifier.has(identifier));
  if (missing.length > 0) throw blockerError(`no such issue: ${missing.join(', ')}`);
  return wanted.flatMap((identifier) => byIdentifier.get(identifier) ?? []);
}

/** Throws a 400 when the issue would block itself, directly or through others. */
export async function refuseBlockerCycle(
  db: Database,
  issue: LocalIssueRow,
  blockerIds: readonly string[],
): Promise<void> {
  if (blockerIds.includes(issue.id)) throw blockerError('an issue cannot block itself');
  const found = await db.all(sql`select 1 where ${waitsFor(blockerIds, issue.id)}`);
  if (found.length > 0) {
    throw blockerError(`${issue.identifier} would wait for itself through its blockers`);
  }
}

/**
 * Condition that one of `fromIds` is the issue or waits for it. The update contains it as well, so
 * that two concurrent updates cannot create a cycle.
 */
export function waitsFor(fromIds: readonly string[], issueId: string): SQL {
  return sql`${issueId} in (
    with recursive reached(id) as (
      select value from json_each(${JSON.stringify(fromIds)})
      union
      select blocker.value from reached
        join local_issues on local_issues.id = reached.id, json_each(local_issues.blocked_by) blocker
    )
    select id from reached)`;
}

function blockerError(message: string): AppError {
  return new AppError('bad_request', `blockedBy: ${message}`, {
    details: [{ path: 'blockedBy', message }],
  });
}
