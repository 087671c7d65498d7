import type { ShownAttempt } from '../../attempts/queries.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { Database } from '../../db/database.ts';
import { issueByIdentifier, issuesByIdentifiers } from '../queries.ts';
import type { Tracker, TrackerIssue } from '../../ports/tracker/tracker.ts';

type Asked = {
  db: Database;
  tracker: Pick<Tracker, 'kind' | 'fetchByIds'>;
  /** What the tracker shows, by id. */
  present: ReadonlyMap<string, TrackerIssue>;
};
type Taking = Asked & {
  live: ReadonlyMap<string, ShownAttempt>;
  /** Stores what the tracker shows of a row. */
  apply: (row: IssueRow, attempt: ShownAttempt | null, issue: TrackerIssue) => Promise<unknown>;
};

/**
 * What the tracker shows, and beside it whichever of its issues have, as far as is known here, the
 * identifiers of these. Throws the tracker's error.
 */
export async function withHolders(
  { db, tracker, present }: Asked,
  issues: readonly TrackerIssue[],
): Promise<ReadonlyMap<string, TrackerIssue>> {
  const names = issues.map(({ identifier }) => identifier);
  const ids = (await issuesByIdentifiers(db, names)).flatMap((row) =>
    row.tracker === tracker.kind && !present.has(row.id) ? row.id : [],
  );
  if (ids.length === 0) return present;
  // One that cannot be read keeps its name.
  const shown = await tracker.fetchByIds(ids, () => undefined);
  return new Map([...present, ...shown.map((issue) => [issue.id, issue] as const)]);
}

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
  const shown = holder.tracker === tracker.kind ? present.get(holder.id) : undefined;
  if (shown !== undefined && shown.identifier !== identifier) {
    const isFree = (await issueByIdentifier(db, shown.identifier)) === null;
    if (isFree) await taking.apply(holder, live.get(holder.id) ?? null, shown);
    if (!isOthers(await issueByIdentifier(db, identifier))) return null;
  }
  return `its identifier belongs to another issue, of the tracker ${holder.tracker}: give one of them another`;
}
