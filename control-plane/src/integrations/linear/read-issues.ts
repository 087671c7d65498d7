import { TrackerError } from '../../issues/tracker/tracker.ts';
import { ISSUES, LABELS_OF_ISSUE, RELATIONS_OF_ISSUE } from './api/documents.ts';
import { eachPage, furtherPages } from './api/each-page.ts';
import { inStates, linearIds } from './in-scope.ts';
import type { LinearClient } from './api/linear-client.ts';
import type { LinearScope } from './linear-settings.ts';
import { IssueData } from './api/rows.ts';

const PAGE_SIZE = 50;

export type ReadDeps = {
  ask: LinearClient;
  /** Told of a row that could not be understood; the others are used. */
  malformed: (words: string) => void;
};

/** All issues in these states, whatever the case of the names; archived ones left out. */
export async function readIssuesInStates(
  deps: ReadDeps,
  states: readonly string[],
  scope: LinearScope,
): Promise<IssueData[]> {
  const filter = inStates(states, scope);
  return filter === null ? [] : (await readAll(deps, { filter, archived: false })).found;
}

/**
 * Issues by id, 50 at a time. Ids that are none of Linear's are left out like issues that are gone;
 * a row that is there but cannot be understood throws, because it is not gone.
 */
export async function readIssuesByIds(
  deps: ReadDeps,
  ids: readonly string[],
): Promise<IssueData[]> {
  const wanted = linearIds(ids);
  const issues: IssueData[] = [];
  for (let from = 0; from < wanted.length; from += PAGE_SIZE) {
    const some = wanted.slice(from, from + PAGE_SIZE);
    // A page costs what it could hold, so it is no larger than what is asked for.
    const asked = { filter: { id: { in: some } }, archived: true, first: some.length };
    const { found, bad } = await readAll(deps, asked);
    if (bad > 0) throw new TrackerError('response', 'Linear gave an issue that makes no sense');
    issues.push(...found);
  }
  return issues.filter((issue) => issue.trashed !== true);
}

async function readAll(
  deps: ReadDeps,
  { filter, archived, first = PAGE_SIZE }: { filter: object; archived: boolean; first?: number },
): Promise<{ found: IssueData[]; bad: number }> {
  const found: IssueData[] = [];
  let bad = 0;
  const pages = eachPage(async (after) => {
    const { issues } = await deps.ask(ISSUES, { filter, first, after, archived });
    return issues;
  });
  for await (const page of pages) {
    for (const row of page.nodes) {
      const parsed = IssueData.safeParse(row);
      if (parsed.success) found.push(await complete(deps, parsed.data));
      else {
        bad += 1;
        const [issue] = parsed.error.issues;
        deps.malformed(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unreadable'}`);
      }
    }
  }
  return { found, bad };
}

/** With the labels and relations that did not fit into the page. */
async function complete({ ask }: ReadDeps, issue: IssueData): Promise<IssueData> {
  const { id } = issue;
  const { labels, inverseRelations } = issue;
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
}
