import type { Issue } from '@switchyard/shared/api/work/issue';
import { LOCAL_STATES } from '../../api/local-states.ts';

export type BoardColumn = { name: string; issues: Issue[] };

/** The last column, for issues that their tracker no longer shows. */
export const OUT_OF_SIGHT = 'Not tracked';

/**
 * Columns by tracker state: the built-in states in their order, other trackers' states in the
 * column of the equivalent built-in one, and each unknown state in a column of its own before the
 * final ones.
 */
export function boardColumns(
  issues: readonly Issue[],
  needing: ReadonlySet<string>,
): BoardColumn[] {
  const names: string[] = [...LOCAL_STATES];
  const groups = new Map<string, Issue[]>(names.map((name) => [name, []]));
  for (const issue of issues) {
    const name = issue.outOfSight ? OUT_OF_SIGHT : columnOf(issue.state);
    if (!groups.has(name)) {
      groups.set(name, []);
      names.splice(issue.outOfSight ? names.length : names.indexOf('Done'), 0, name);
    }
    groups.get(name)?.push(issue);
  }
  return names.map((name) => ({
    name,
    issues: (groups.get(name) ?? []).sort((a, b) => compare(a, b, needing)),
  }));
}

const MEANINGS: Record<string, (typeof LOCAL_STATES)[number]> = {
  triage: 'Backlog',
  'to do': 'Todo',
  open: 'Todo',
  ready: 'Todo',
  started: 'In Progress',
  review: 'In Review',
  completed: 'Done',
  closed: 'Done',
  merged: 'Done',
  cancelled: 'Canceled',
  duplicate: 'Canceled',
};

/** The column of a tracker's state. */
export function columnOf(state: string): string {
  const plain = state.trim().toLowerCase();
  return LOCAL_STATES.find((name) => name.toLowerCase() === plain) ?? MEANINGS[plain] ?? state;
}

const ORDER: Record<Issue['status'], number> = {
  running: 1,
  blocked: 2,
  failed: 2,
  retrying: 3,
  queued: 4,
  idle: 5,
  completed: 6,
  cancelled: 7,
};

/**
 * Order of cards: issues that need a person first, then by status with running ones first, then by
 * priority, then the latest.
 */
function compare(a: Issue, b: Issue, needing: ReadonlySet<string>): number {
  const rank = (issue: Issue) => (needing.has(issue.identifier) ? 0 : ORDER[issue.status]);
  const urgency = (issue: Issue) =>
    issue.priority === null || issue.priority === 0 ? 5 : issue.priority;
  return (
    rank(a) - rank(b) ||
    urgency(a) - urgency(b) ||
    b.updatedAt.localeCompare(a.updatedAt) ||
    a.identifier.localeCompare(b.identifier)
  );
}

/**
 * The column to show where only one fits: that of the first issue that needs a person, otherwise of
 * the first running one, otherwise the first with any issue. Null without issues.
 */
export function columnToShow(
  columns: readonly BoardColumn[],
  needing: { has(identifier: string): boolean },
): string | null {
  const holding = (wanted: (issue: Issue) => boolean) =>
    columns.find(({ issues }) => issues.some(wanted))?.name;
  return (
    holding((issue) => needing.has(issue.identifier)) ??
    holding((issue) => issue.status === 'running') ??
    holding(() => true) ??
    null
  );
}

/** Whether an issue matches the search terms: each one occurs somewhere on its card. */
export function matches(issue: Issue, query: string): boolean {
  const haystack = [
    issue.identifier,
    issue.title,
    issue.status,
    issue.reason ?? '',
    ...issue.labels,
  ]
    .join(' ')
    .toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => haystack.includes(word));
}
