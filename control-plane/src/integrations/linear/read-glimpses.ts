import { type GlimpseOf, type IssueGlimpse, TrackerError } from '../../issues/tracker/tracker.ts';
import { BLOCKED_ISSUES, GLIMPSES } from './api/documents.ts';
import { eachPage } from './api/each-page.ts';
import { changedSince, inStates, linearIds } from './in-scope.ts';
import type { LinearScope } from './linear-settings.ts';
import type { ReadDeps } from './read-issues.ts';
import { GlimpseData } from './api/rows.ts';

const PAGE_SIZE = 50;
/** Mostly nothing changed: a page costs what it could hold. */
const CHANGES_PAGE_SIZE = 20;
const IDS_PAGE_SIZE = 100;

/** What a look without details shows of issues. */
export async function readGlimpses(
  deps: ReadDeps,
  of: GlimpseOf,
  scope: LinearScope,
): Promise<IssueGlimpse[]> {
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

/** Those that are gone are left out; a row that cannot be understood is not gone: it throws. */
async function ofIds(deps: ReadDeps, ids: readonly string[]): Promise<IssueGlimpse[]> {
  const wanted = linearIds(ids);
  const found: IssueGlimpse[] = [];
  for (let from = 0; from < wanted.length; from += IDS_PAGE_SIZE) {
    const some = wanted.slice(from, from + IDS_PAGE_SIZE);
    const asked = { filter: { id: { in: some } }, archived: true, first: some.length };
    const read = await readAll(deps, asked);
    if (read.bad > 0)
      throw new TrackerError('response', 'Linear gave an issue that makes no sense');
    found.push(...shown(read));
  }
  return found;
}

async function readAll(
  { ask, malformed }: ReadDeps,
  { filter, archived, first }: { filter: object; archived: boolean; first: number },
): Promise<{ found: GlimpseData[]; bad: number }> {
  const found: GlimpseData[] = [];
  let bad = 0;
  const pages = eachPage(async (after) => {
    const size = after === null ? first : PAGE_SIZE;
    return (await ask(GLIMPSES, { filter, first: size, after, archived })).issues;
  });
  for await (const { nodes } of pages) {
    for (const row of nodes) {
      const parsed = GlimpseData.safeParse(row);
      if (parsed.success) found.push(parsed.data);
      else {
        bad += 1;
        malformed(parsed.error.issues[0]?.message ?? 'unreadable');
      }
    }
  }
  return { found, bad };
}

function shown({ found }: { found: GlimpseData[] }): IssueGlimpse[] {
  return found
    .filter(({ trashed }) => trashed !== true)
    .map(({ id, updatedAt, state }) => ({
      ...{ id, updatedAtMs: updatedAt, state: state.name },
      isBlocked: false,
    }));
}

async function blockedIds({ ask }: ReadDeps, filter: object): Promise<Set<string>> {
  const ids = new Set<string>();
  const pages = eachPage(async (after) => {
    return (await ask(BLOCKED_ISSUES, { filter, first: PAGE_SIZE, after })).issues;
  });
  for await (const { nodes } of pages) for (const { id } of nodes) ids.add(id);
  return ids;
}
