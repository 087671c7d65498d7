import { TrackerError } from '../tracker.ts';
import { ISSUES, LABELS_OF_ISSUE, RELATIONS_OF_ISSUE } from './documents.ts';
import type { LinearClient } from './linear-client.ts';
import type { LinearScope } from './linear-settings.ts';
import { IssueData, type RawPage } from './rows.ts';

const PAGE_SIZE = 50;
/** 10,000 issues; more are a filter that is not there. */
const MAX_PAGES = 200;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

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
  const wanted = [...new Set(states.map((state) => state.trim()))].filter((name) => name !== '');
  if (wanted.length === 0) return [];
  const named = wanted.map((name) => ({ state: { name: { eqIgnoreCase: name } } }));
  return (await readAll(deps, { ...scopeFilter(scope), or: named }, false)).found;
}

/** Issues in whatever state that changed since then, inclusive. */
export async function readIssuesChanged(
  deps: ReadDeps,
  sinceMs: number,
  scope: LinearScope,
): Promise<IssueData[]> {
  const since = new Date(sinceMs).toISOString();
  const filter = { ...scopeFilter(scope), updatedAt: { gte: since } };
  return (await readAll(deps, filter, true)).found.filter((issue) => issue.trashed !== true);
}

/**
 * Issues by id, 50 at a time. Ids that are none of Linear's are left out like issues that are gone;
 * a row that is there but cannot be understood throws, because it is not gone.
 */
export async function readIssuesByIds(
  deps: ReadDeps,
  ids: readonly string[],
): Promise<IssueData[]> {
  const wanted = [...new Set(ids)].filter((id) => UUID.test(id));
  const issues: IssueData[] = [];
  for (let from = 0; from < wanted.length; from += PAGE_SIZE) {
    const filter = { id: { in: wanted.slice(from, from + PAGE_SIZE) } };
    const { found, bad } = await readAll(deps, filter, true);
    if (bad > 0) throw new TrackerError('response', 'Linear gave an issue that makes no sense');
    issues.push(...found);
  }
  return issues.filter((issue) => issue.trashed !== true);
}

function scopeFilter({ projectSlug, team }: LinearScope): object {
  return {
    ...(projectSlug ? { project: { slugId: { eq: projectSlug } } } : {}),
    ...(team ? { team: { key: { eqIgnoreCase: team.trim() } } } : {}),
  };
}

async function readAll(
  deps: ReadDeps,
  filter: object,
  archived: boolean,
): Promise<{ found: IssueData[]; bad: number }> {
  const found: IssueData[] = [];
  let bad = 0;
  const pages = eachPage(async (after) => {
    const { issues } = await deps.ask(ISSUES, { filter, first: PAGE_SIZE, after, archived });
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

type Page = Pick<RawPage, 'pageInfo'>;

async function* eachPage<P extends Page>(read: (after: string | null) => Promise<P>) {
  const first = await read(null);
  yield first;
  yield* furtherPages(first, read);
}

/** A cursor that is missing or comes again would go on for ever or lose rows: both are errors. */
async function* furtherPages<P extends Page>(
  first: Page,
  read: (after: string) => Promise<P>,
): AsyncGenerator<P> {
  const seen = new Set<string>();
  let { pageInfo } = first;
  while (pageInfo.hasNextPage) {
    const cursor = pageInfo.endCursor;
    if (!cursor) throw new TrackerError('pagination', 'Linear has a next page but no cursor');
    if (seen.has(cursor)) throw new TrackerError('pagination', "Linear's pages go in a circle");
    if (seen.size >= MAX_PAGES) {
      throw new TrackerError('pagination', `Linear gave more than ${MAX_PAGES} pages`);
    }
    seen.add(cursor);
    const page = await read(cursor);
    yield page;
    pageInfo = page.pageInfo;
  }
}
