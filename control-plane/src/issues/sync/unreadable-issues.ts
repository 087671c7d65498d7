import { plainLine } from '@switchyard/shared/text/plain-text';
import { z } from 'zod';
import type { Database, Statement } from '../../db/database.ts';
import { readFact } from '../../db/read-fact.ts';
import { setFact } from '../../db/set-fact.ts';
import type { Deps } from '../../deps.ts';
import { issuesByIds } from '../queries.ts';
import type { UnreadableRecord } from '../../ports/tracker/unreadable-record.ts';

const NAME = 'tracker_unreadable_issues';
/** Unreadable issues whose details are stored; of further ones only the number is. */
const MAX_KEPT = 200;
/**
 * Unreadable issues that one poll requests again: single requests use up the tracker's rate limit.
 */
const MAX_AGAIN = 10;

const Unreadable = z.object({
  id: z.string().nullable(),
  name: z.string().nullable(),
  problem: z.string(),
  sinceMs: z.number(),
});
const Kept = z.object({
  /** Kind of the tracker. */
  tracker: z.string(),
  issues: z.array(Unreadable),
  /** Number of all unreadable issues. */
  total: z.number(),
});
export type UnreadableIssues = z.infer<typeof Kept>;

/** The issues of a tracker that could not be read at the last sync. */
export async function unreadableIssues(db: Database, tracker: string): Promise<UnreadableIssues> {
  const kept = Kept.safeParse(await readFact(db, NAME));
  const isSame = kept.success && kept.data.tracker === tracker;
  return isSame ? kept.data : { tracker, issues: [], total: 0 };
}

/**
 * Ids of unreadable issues that the next sync requests again; `isWhole` (a full sync) requests all.
 */
export function unreadableAgain(
  { issues }: UnreadableIssues,
  { isWhole }: { isWhole: boolean },
): string[] {
  const ids = issues.flatMap(({ id }) => id ?? []);
  return isWhole ? ids : ids.slice(0, MAX_AGAIN);
}

/**
 * Stores which issues a sync could not read and logs each new one. Issues that this sync did not
 * request stay stored. Returns no statement when nothing changed.
 */
export async function noteUnreadableIssues(
  { db, clock, logger }: Pick<Deps, 'db' | 'clock' | 'logger'>,
  before: UnreadableIssues,
  sync: { unreadable: readonly UnreadableRecord[]; again: readonly string[]; isWhole: boolean },
): Promise<Statement[]> {
  const { tracker } = before;
  const seen = new Map(sync.unreadable.map((record) => [keyOf(record), record]));
  const known = before.issues.flatMap((issue) => {
    const record = seen.get(keyOf(issue));
    seen.delete(keyOf(issue));
    if (record !== undefined) return [{ ...issue, problem: record.problem }];
    const wasAsked = sync.isWhole || (issue.id !== null && sync.again.includes(issue.id));
    return wasAsked ? [] : [issue];
  });
  // Recorded ones stay first, so that no issue is logged twice, however many there are.
  const fresh = [...seen.values()].slice(0, MAX_KEPT - known.length);
  const notAsked = sync.isWhole ? 0 : before.total - before.issues.length;
  const total = known.length + Math.max(seen.size, notAsked);
  const isSame = JSON.stringify(known) === JSON.stringify(before.issues);
  if (fresh.length === 0 && isSame && total === before.total) return [];
  const nameOf = await names(db, tracker, fresh);
  const nowMs = clock.nowMs();
  const added = fresh.map(({ id, problem, ...record }) => {
    const name = nameOf({ id, ...record });
    logger.warn('an issue of the tracker cannot be read and stays as it is', {
      tracker,
      issue: name,
      id,
      problem,
    });
    return { id, name, problem, sinceMs: nowMs };
  });
  return [setFact(db, nowMs, NAME, { tracker, issues: [...known, ...added], total })];
}

/** Looks up the identifier of a record that has none in the recorded issues. */
async function names(db: Database, tracker: string, records: readonly UnreadableRecord[]) {
  const ids = records.flatMap(({ id, name }) => (name === null && id !== null ? [id] : []));
  const rows = ids.length === 0 ? [] : await issuesByIds(db, tracker, ids);
  const identifiers = new Map(rows.map((row) => [row.id, row.identifier]));
  return ({ id, name }: Pick<UnreadableRecord, 'id' | 'name'>): string | null => {
    const found = name ?? identifiers.get(id ?? '') ?? null;
    return found === null ? null : plainLine(found);
  };
}

function keyOf({ id, problem }: Pick<UnreadableRecord, 'id' | 'problem'>): string {
  return id ?? ` ${problem}`;
}
