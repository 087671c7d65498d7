import { TrackerError, type TrackerErrorCategory } from '../../ports/tracker/tracker.ts';
import type { OnUnreadable } from '../../ports/tracker/unreadable-record.ts';
import { ISSUES, LABELS_OF_ISSUE, RELATIONS_OF_ISSUE } from './api/documents.ts';
import { eachPage, furtherPages } from './api/each-page.ts';
import { byIds } from './by-ids.ts';
import { inStates } from './in-scope.ts';
import type { LinearClient } from './api/linear-client.ts';
import type { LinearScope } from './linear-settings.ts';
import { readableRows } from './api/readable-rows.ts';
import { IssueData } from './api/rows.ts';

const PAGE_SIZE = 50;
/** Errors of an invalid response about one issue's labels or relations. */
const WRONG_ANSWER: ReadonlySet<TrackerErrorCategory> = new Set(['response', 'pagination']);

export type ReadDeps = { ask: LinearClient; onUnreadable: OnUnreadable };

/** All issues in these states, regardless of case, without archived ones. */
export async function readIssuesInStates(
  deps: ReadDeps,
  states: readonly string[],
  scope: LinearScope,
): Promise<IssueData[]> {
  const filter = inStates(states, scope);
  return filter === null ? [] : readAll(deps, { filter, archived: false });
}

/** Issues by id, 50 at a time; deleted ones are left out. */
export async function readIssuesByIds(
  { ask, onUnreadable }: ReadDeps,
  ids: readonly string[],
): Promise<IssueData[]> {
  const issues = await byIds(ids, { atOnce: PAGE_SIZE, onUnreadable }, (some, unreadable) => {
    // A page costs as much as it could contain, so it is only as large as needed.
    const asked = { filter: { id: { in: some } }, archived: true, first: some.length };
    return readAll({ ask, onUnreadable: unreadable }, asked);
  });
  return issues.filter((issue) => issue.trashed !== true);
}

async function readAll(
  deps: ReadDeps,
  { filter, archived, first = PAGE_SIZE }: { filter: object; archived: boolean; first?: number },
): Promise<IssueData[]> {
  const found: IssueData[] = [];
  const pages = eachPage(async (after) => {
    const { issues } = await deps.ask(ISSUES, { filter, first, after, archived });
    return issues;
  });
  for await (const { nodes } of pages) {
    for (const row of readableRows(IssueData, nodes, deps.onUnreadable)) {
      const whole = await complete(deps, row);
      if (whole !== null) found.push(whole);
    }
  }
  return found;
}

/** Adds labels and relations beyond the first page; null when they cannot be read. */
async function complete({ ask, onUnreadable }: ReadDeps, issue: IssueData) {
  const { id, identifier, labels, inverseRelations } = issue;
  try {
    for await (const page of furtherPages(labels, async (after) => {
      return (await ask(LABELS_OF_ISSUE, { id, after })).issue.labels;
    })) {
      labels.nodes.push(...page.nodes);
    }
    for await (const page of furtherPages(inverseRelations, async (after) => {
      return (await ask(RELATIONS_OF_ISSUE, { id, after })).issue.inverseRelations;
    })) {
      inverseRelations.nodes.push(...page.nodes);
    }
    return issue;
  } catch (error) {
    if (!(error instanceof TrackerError) || !WRONG_ANSWER.has(error.category)) throw error;
    const { state, updatedAt: updatedAtMs } = issue;
    const standing = { state: state.name, updatedAtMs };
    onUnreadable({ id, name: identifier, problem: error.message, ...standing });
    return null;
  }
}
