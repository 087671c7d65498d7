import { and, asc, count, eq, inArray, isNull, sql, sum } from 'drizzle-orm';
import type { CallValue } from '@switchyard/shared/protocol/calls';
import type { Database, Statement } from '../../db/database.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import { type WorkspaceRow, workspaces } from '../../db/schema/runners/workspaces.ts';
import { heldWorkspaces } from '../../db/schema/runners/held-workspaces.ts';

type Reported = CallValue<'workspaces.list'>['workspaces'];
type Filter = { runnerId: string | null };

/** Condition that excludes workspaces of revoked runners, which cannot be reached. */
function reachable(db: Database) {
  const known = db
    .select({ id: runners.runner_id })
    .from(runners)
    .where(isNull(runners.revoked_at_ms));
  return inArray(workspaces.runner_id, known);
}

/** A page of reported workspaces by key, with their total number and size. */
export async function workspacePage(
  db: Database,
  page: Filter & { limit: number; offset: number },
): Promise<{ rows: WorkspaceRow[]; total: number; diskBytes: number }> {
  const filter = and(
    reachable(db),
    page.runnerId === null ? undefined : eq(workspaces.runner_id, page.runnerId),
  );
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(workspaces)
      .where(filter)
      .orderBy(asc(workspaces.key), asc(workspaces.runner_id))
      .limit(page.limit)
      .offset(page.offset),
    db
      .select({ total: count(), diskBytes: sum(workspaces.disk_bytes) })
      .from(workspaces)
      .where(filter),
  ]);
  return {
    rows,
    total: totals[0]?.total ?? 0,
    diskBytes: Number(totals[0]?.diskBytes ?? 0),
  };
}

/** Workspaces with this key on one runner or on all. */
export async function workspacesByKey(
  db: Database,
  key: string,
  filter: Filter,
): Promise<WorkspaceRow[]> {
  return db
    .select()
    .from(workspaces)
    .where(
      and(
        eq(workspaces.key, key),
        reachable(db),
        filter.runnerId === null ? undefined : eq(workspaces.runner_id, filter.runnerId),
      ),
    )
    .orderBy(asc(workspaces.runner_id));
}

/** Replaces a runner's stored report with two statements, whatever its length. */
export function replaceReport(
  db: Database,
  report: { runnerId: string; nowMs: number; workspaces: Reported },
): [Statement, Statement] {
  const { runnerId, nowMs } = report;
  const listed = JSON.stringify(report.workspaces);
  return [
    db.run(sql`delete from workspaces where runner_id = ${runnerId} and key not in (
      select value ->> '$.key' from json_each(${listed}))`),
    db.run(sql`insert into workspaces (runner_id, key, path, identifier, disk_bytes,
        disk_complete, last_modified_at_ms, in_use, reported_at_ms)
      select ${runnerId}, value ->> '$.key', value ->> '$.path', value ->> '$.identifier',
        cast(value ->> '$.diskBytes' as integer), coalesce(value ->> '$.complete', 0),
        cast(value ->> '$.lastModifiedAtMs' as integer), value ->> '$.inUse', ${nowMs}
      from json_each(${listed}) where true
      on conflict (runner_id, key) do update set path = excluded.path,
        identifier = excluded.identifier, disk_bytes = excluded.disk_bytes,
        disk_complete = excluded.disk_complete,
        last_modified_at_ms = excluded.last_modified_at_ms, in_use = excluded.in_use,
        reported_at_ms = excluded.reported_at_ms`),
  ];
}

/** Deletes the row of a removed workspace. */
export function forgetWorkspace(
  db: Database,
  workspace: Pick<WorkspaceRow, 'runner_id' | 'key'>,
): Statement {
  return db
    .delete(workspaces)
    .where(and(eq(workspaces.runner_id, workspace.runner_id), eq(workspaces.key, workspace.key)));
}

/** Records that a runner may soon hold an issue's workspace; belongs in the batch of its offer. */
export function holdWorkspace(
  db: Database,
  held: { runnerId: string; key: string; tracker: string; issueId: string },
): Statement {
  const { runnerId, key, tracker, issueId } = held;
  return db
    .insert(heldWorkspaces)
    .values({ runner_id: runnerId, key, tracker, issue_id: issueId })
    .onConflictDoUpdate({
      target: [heldWorkspaces.runner_id, heldWorkspaces.key],
      set: { tracker, issue_id: issueId, revision: sql`${heldWorkspaces.revision} + 1` },
    });
}
