import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { Database } from '../../db/database.ts';
import { issueByIdentifier } from '../queries.ts';
import type { Tracker, TrackerIssue } from '../tracker/tracker.ts';

type Taking = {
  db: Database;
  tracker: Pick<Tracker, 'kind' | 'fetchByIds'>;
  present: ReadonlyMap<string, TrackerIssue>;
  live: ReadonlyMap<string, AttemptRow>;
  /** Stores what the tracker shows of a row. */
  apply: (row: IssueRow, attempt: AttemptRow | null, issue: TrackerIssue) => Promise<unknown>;
};

/**
 * Sees to it that an issue can have the identifier that its tracker gives it. Another one that had it
 * and was named anew since is brought up to date first. Answers why it cannot, in words; null: it can.
 */
export async function takeIdentifier(taking: Taking, issue: TrackerIssue): Promise<string | null> {
  const { db, tracker, present, live } = taking;
  const { identifier } = issue;
  const isOthers = (row: IssueRow | null): row is IssueRow =>
    row !== null && (row.tracker !== tracker.kind || row.id !== issue.id);
  const holder = await issueByIdentifier(db, identifier);
  if (!isOthers(holder)) return null;
  if (holder.tracker === tracker.kind) {
    const shown = present.get(holder.id) ?? (await tracker.fetchByIds([holder.id]))[0];
    const isFree =
      shown !== undefined &&
      shown.identifier !== identifier &&
      (await issueByIdentifier(db, shown.identifier)) === null;
    if (isFree) await taking.apply(holder, live.get(holder.id) ?? null, shown);
    if (!isOthers(await issueByIdentifier(db, identifier))) return null;
  }
  return `its identifier belongs to another issue, of the tracker ${holder.tracker}: give one of them another`;
}
