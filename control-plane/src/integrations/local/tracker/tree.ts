import { eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../../db/database.ts';
import { type LocalIssueRow, localIssues } from '../../../db/schema/work/local-issues.ts';
import { AppError } from '../../../errors.ts';
import { blockerCircles } from '../../../ports/tracker/blocker-circles.ts';
import type { LocalTrackerDeps } from './local-tracker-deps.ts';

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
  if (missing.length > 0) throw refusal('blockedBy', `no such issue: ${missing.join(', ')}`);
  return wanted.flatMap((identifier) => byIdentifier.get(identifier) ?? []);
}

/** The issue that another one becomes a part of. Throws a 400 when there is none. */
export async function resolveParent(db: Database, identifier: string): Promise<LocalIssueRow> {
  const wanted = identifier.trim();
  const rows = await db.select().from(localIssues).where(eq(localIssues.identifier, wanted));
  if (rows[0] === undefined) throw refusal('parent', `no such issue: ${wanted}`);
  return rows[0];
}

/** An issue as it would stand among others: it waits for its blockers and for its parts. */
export type Place = {
  id: string;
  /** Its name in the message of a refusal. */
  name: string;
  blockerIds: readonly string[];
  parentId: string | null;
};

/**
 * Throws a 400 with the cycle when an issue in this place would wait for itself. `path` is the field
 * of the request that says so.
 */
export async function refuseCycle(db: Database, place: Place, path: string): Promise<void> {
  const rows = await db
    .select()
    .from(localIssues)
    .where(sql`${localIssues.id} in (${reached(place)})`);
  const issue = {
    id: place.id,
    identifier: place.name,
    blocked_by: place.blockerIds,
    parent_id: place.parentId,
  };
  const all = [issue, ...rows.filter(({ id }) => id !== place.id)];
  const waiting = all.map(({ id, identifier, blocked_by }) => ({
    key: id,
    identifier,
    blockers: [
      ...blocked_by,
      ...all.filter(({ parent_id }) => parent_id === id).map((part) => part.id),
    ],
  }));
  const circle = blockerCircles(waiting).get(place.id);
  if (circle === undefined) return;
  throw refusal(path, `${place.name} would wait for itself: ${circle}`);
}

/**
 * Condition that an issue in this place would wait for itself. The statement that stores the place
 * contains it as well, so that two concurrent ones cannot create a cycle.
 */
export function waitsForItself(place: Pick<Place, 'id' | 'blockerIds' | 'parentId'>): SQL {
  return sql`exists (select 1 from (${reached(place)}) where id in (${place.id}, ${place.parentId}))`;
}

/**
 * Ids of all that an issue in this place waits for, directly or not. The place is the issue's new
 * one, so the parent that it has is left out.
 */
function reached({ id, blockerIds }: Pick<Place, 'id' | 'blockerIds'>): SQL {
  return sql`with recursive reached(id) as (
      select value from json_each(${JSON.stringify(blockerIds)})
      union select part.id from local_issues part where part.parent_id = ${id}
      union select blocker.value from reached
        join local_issues on local_issues.id = reached.id, json_each(local_issues.blocked_by) blocker
      union select part.id from reached
        join local_issues part on part.parent_id = reached.id and part.id <> ${id})
    select id from reached`;
}

/**
 * Throws a 400 when the tree would have too many levels or issues after issues were added below
 * `parent`: new ones, or the one with the id `movedId` and everything below it.
 */
export async function refuseLargeTree(
  { db, settings }: Pick<LocalTrackerDeps, 'db' | 'settings'>,
  parent: Pick<LocalIssueRow, 'id' | 'identifier'>,
  added: { newIssues: number } | { movedId: string },
): Promise<void> {
  const { maxDepth, maxIssues } = settings.treeLimits();
  const above = await db.all<{ id: string; depth: number }>(sql`
    with recursive above(id, depth) as (
      select ${parent.id}, 0
      union select up.parent_id, depth + 1 from above join local_issues up on up.id = above.id
        where up.parent_id is not null)
    select id, depth from above order by depth desc`);
  const root = above[0] ?? { id: parent.id, depth: 0 };
  const tree = await below(db, root.id);
  const moved = 'movedId' in added ? await below(db, added.movedId) : null;
  const levels = moved === null ? 0 : Math.max(...moved.map(({ depth }) => depth));
  if (root.depth + 1 + levels > maxDepth) {
    const limit = `at most ${maxDepth} levels of sub-issues (agent.subIssues.maxDepth)`;
    throw refusal(
      'parent',
      `a tree has ${limit}, and ${parent.identifier} is at level ${root.depth}`,
    );
  }
  const inTree = new Set([...tree, ...(moved ?? [])].map(({ id }) => id));
  const size = inTree.size + ('newIssues' in added ? added.newIssues : 0);
  if (size <= maxIssues) return;
  const limit = `at most ${maxIssues} issues (agent.subIssues.maxIssues)`;
  throw refusal('parent', `a tree has ${limit}, and this one would have ${size}`);
}

/** An issue and everything below it, with the levels between them. */
async function below(db: Database, id: string): Promise<{ id: string; depth: number }[]> {
  return db.all(sql`
    with recursive below(id, depth) as (
      select ${id}, 0
      union select part.id, depth + 1 from below join local_issues part on part.parent_id = below.id)
    select id, depth from below`);
}

function refusal(path: string, message: string): AppError {
  return new AppError('bad_request', `${path}: ${message}`, { details: [{ path, message }] });
}
