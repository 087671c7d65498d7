import type { ProbeScope, IssueProbe } from '../../ports/tracker/tracker.ts';
import { BLOCKED_ISSUES, ISSUE_PROBES } from './api/documents.ts';
import { eachPage } from './api/each-page.ts';
import { byIds } from './by-ids.ts';
import { changedSince, inStates, linearIds } from './in-scope.ts';
import type { LinearScope } from './linear-settings.ts';
import type { ReadDeps } from './read-issues.ts';
import { readableRows } from './api/readable-rows.ts';
import { IssueProbeRow, Ref } from './api/rows.ts';

const PAGE_SIZE = 50;
/** Usually nothing changed, and a page costs as much as it could contain. */
const CHANGES_PAGE_SIZE = 20;
const IDS_PAGE_SIZE = 100;

/** IssueProbes of issues, without details. */
export async function readIssueProbes(
  deps: ReadDeps,
  of: ProbeScope,
  scope: LinearScope,
): Promise<IssueProbe[]> {
  if ('ids' in of) return ofIds(deps, of.ids);
  if ('sinceMs' in of) {
    const filter = changedSince(of.sinceMs, scope);
    return shown(await readAll(deps, { filter, archived: true, first: CHANGES_PAGE_SIZE }));
  }
  const filter = inStates(of.states, scope);
  if (filter === null) return [];
  const found = shown(await readAll(deps, { filter, archived: false, first: PAGE_SIZE }));
  const blocked = await blockedIds(deps, { ...filter, hasBlockedByRelations: { eq: true } });
  return found.map((one) => ({ ...one, isBlocked: blocked.has(one.id) }));
}

/** Ids of those issues that another issue blocks. */
export async function readStillBlocked(
  { ask }: Pick<ReadDeps, 'ask'>,
  ids: readonly string[],
): Promise<Set<string>> {
  const blocked = new Set<string>();
  const wanted = linearIds(ids);
  for (let from = 0; from < wanted.length; from += IDS_PAGE_SIZE) {
    const some = wanted.slice(from, from + IDS_PAGE_SIZE);
    const filter = { id: { in: some }, hasBlockedByRelations: { eq: true } };
    for (const id of await blockedIds({ ask }, filter, some.length)) blocked.add(id);
  }
  return blocked;
}

async function ofIds(
  { ask, onUnreadable }: ReadDeps,
  ids: readonly string[],
): Promise<IssueProbe[]> {
  const rows = await byIds(ids, { atOnce: IDS_PAGE_SIZE, onUnreadable }, (some, unreadable) => {
    const asked = { filter: { id: { in: some } }, archived: true, first: some.length };
    return readAll({ ask, onUnreadable: unreadable }, asked);
  });
  return shown(rows);
}

async function readAll(
  { ask, onUnreadable }: ReadDeps,
  { filter, archived, first }: { filter: object; archived: boolean; first: number },
): Promise<IssueProbeRow[]> {
  const found: IssueProbeRow[] = [];
  const pages = eachPage(async (after) => {
    const size = after === null ? first : PAGE_SIZE;
    return (await ask(ISSUE_PROBES, { filter, first: size, after, archived })).issues;
  });
  for await (const { nodes } of pages) {
    found.push(...readableRows(IssueProbeRow, nodes, onUnreadable));
  }
  return found;
}

function shown(rows: readonly IssueProbeRow[]): IssueProbe[] {
  return rows
    .filter(({ trashed }) => trashed !== true)
    .map(({ id, updatedAt, state }) => ({
      id,
      updatedAtMs: updatedAt,
      state: state.name,
      isBlocked: false,
    }));
}

async function blockedIds(
  { ask }: Pick<ReadDeps, 'ask'>,
  filter: object,
  first = PAGE_SIZE,
): Promise<Set<string>> {
  const ids = new Set<string>();
  const pages = eachPage(async (after) => {
    return (await ask(BLOCKED_ISSUES, { filter, first, after })).issues;
  });
  for await (const { nodes } of pages) {
    // Unreadable issues are reported when the issues themselves are read.
    for (const { id } of readableRows(Ref, nodes, () => {})) ids.add(id);
  }
  return ids;
}
