import type { ShownAttempt } from '../../attempts/queries.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { Database } from '../../db/database.ts';
import { issueByIdentifier, issuesByIdentifiers } from '../queries.ts';
import type { Tracker, TrackerIssue } from '../../ports/tracker/tracker.ts';

type Asked = {
  db: Database;
  tracker: Pick<Tracker, 'kind' | 'fetchByIds'>;
  /** Issues that the tracker returned, by id. */
  present: ReadonlyMap<string, TrackerIssue>;
};
type Taking = Asked & {
  live: ReadonlyMap<string, ShownAttempt>;
  /** Stores what the tracker shows of a recorded issue. */
  apply: (row: IssueRow, attempt: ShownAttempt | null, issue: TrackerIssue) => Promise<unknown>;
};

/**
 * Adds to `present` the issues that, by the recorded rows, hold the identifiers of `issues`. Throws
 * the tracker's error.
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
  // A holder that cannot be read keeps its identifier.
  const shown = await tracker.fetchByIds(ids, () => undefined);
  return new Map([...present, ...shown.map((issue) => [issue.id, issue] as const)]);
}

/**
 * Frees the identifier that the tracker gives to an issue: a recorded issue that was renamed since
 * is updated first. Returns why the issue cannot have it, for people; null when it can.
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
