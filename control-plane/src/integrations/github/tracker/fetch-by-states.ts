import { isOneOf } from '../../../issues/tracker/find-state.ts';
import type { TrackerIssue } from '../../../issues/tracker/tracker.ts';
import { findIssue, whyMoved } from './find-issue.ts';
import { type Blocker, GitHubIssue, issueId, rawState, trackerIssue } from './github-issue.ts';
import { askOf, type IssuePlace } from './issue-place.ts';
import { OPEN, stateNames, stateOf, withProjectState } from './state-of.ts';
import { projectStates } from './project-states.ts';
import { walkChanged } from './walk-changed.ts';
import { everywhere, type GitHubTrackerDeps, placeOf, rolesOf } from './place-of.ts';

const AT_ONCE = 5;

export async function fetchByStates(
  deps: GitHubTrackerDeps,
  states: readonly string[],
): Promise<TrackerIssue[]> {
  const roles = rolesOf(deps.latest());
  const wanted = stateNames(roles).filter((name) => isOneOf(name, states));
  if (wanted.length === 0) return [];
  const isTerminal = (name: string) => isOneOf(name, roles.terminal);
  const queries = [
    ...(wanted.includes(OPEN) || deps.latest().tracker.github?.project !== undefined
      ? ['state=open']
      : wanted
          .filter((name) => !isTerminal(name))
          .map((name) => `state=open&labels=${encodeURIComponent(name)}`)),
    ...(wanted.some(isTerminal) ? ['state=closed'] : []),
  ];
  const found = await listed(
    deps,
    queries.map((query) => ({ query })),
  );
  return found.filter(({ state }) => wanted.includes(state));
}

export async function fetchChanged(
  deps: GitHubTrackerDeps,
  sinceMs: number,
): Promise<TrackerIssue[]> {
  // A change in a project is none of the issue's: only looking at all of them shows it.
  if (deps.latest().tracker.github?.project !== undefined) {
    return listed(deps, [{ query: 'state=open' }, { query: 'state=closed', sinceMs }]);
  }
  return listed(deps, [{ query: 'state=all', sinceMs }]);
}

export async function fetchByIds(
  deps: GitHubTrackerDeps,
  ids: readonly string[],
): Promise<TrackerIssue[]> {
  const places = [...new Set(ids)].flatMap((id) => placeOf(deps, id) ?? []);
  const found: TrackerIssue[] = [];
  for (let from = 0; from < places.length; from += AT_ONCE) {
    const some = await Promise.all(
      places.slice(from, from + AT_ONCE).map(async (place) => {
        const found = await findIssue(place);
        if (found === null) return null;
        if (found.movedTo !== null) return departed(deps, place, found.issue, found.movedTo);
        const [issue = found.issue] = await withStates(deps, place, [found.issue]);
        return whole(deps, place, issue);
      }),
    );
    found.push(...some.filter((issue) => issue !== null));
  }
  return found;
}

/** What moved away stays known by its old name, but is no longer ours to work on. */
function departed(
  deps: GitHubTrackerDeps,
  place: IssuePlace,
  issue: GitHubIssue,
  movedTo: string,
): TrackerIssue {
  const { allowedAuthors } = deps.latest().tracker;
  const more = { blockedBy: [], allowedAuthors, assignee: undefined };
  const here = { ...issue, number: place.number };
  const known = trackerIssue(place.tracked, here, rolesOf(deps.latest()), more);
  return { ...known, nativeRef: null, unroutable: whyMoved(deps, movedTo), movedTo };
}

/** The issues with what the project says of their state, where one holds the states. */
export async function withStates(
  deps: GitHubTrackerDeps,
  { connection, tracked: { repository } }: Omit<IssuePlace, 'number'>,
  rows: readonly GitHubIssue[],
): Promise<readonly GitHubIssue[]> {
  const config = deps.latest();
  const project = config.tracker.github?.project;
  if (project === undefined || rows.length === 0) return rows;
  const place = { connection, repository, project };
  const states = await projectStates(
    place,
    rows.map((row) => row.node_id),
  );
  const roles = rolesOf(config);
  return rows.map((row) => ({
    ...row,
    labels: withProjectState(row.labels, states.get(row.node_id), roles),
  }));
}

/** As the port wants it, with what blocks it and for whom it is. */
export async function whole(
  deps: GitHubTrackerDeps,
  place: IssuePlace,
  issue: GitHubIssue,
): Promise<TrackerIssue> {
  const config = deps.latest();
  const { allowedAuthors, assignee } = config.tracker;
  const count = issue.issue_dependencies_summary?.total_blocked_by ?? 0;
  const blockedBy = count === 0 ? [] : await blockersOf(deps, place);
  const me = assignee === 'me' ? await place.connection.access.ownLogin() : assignee;
  const more = { blockedBy, allowedAuthors, assignee: me };
  return trackerIssue(place.tracked, issue, rolesOf(config), more);
}

function isPull(issue: GitHubIssue): boolean {
  return issue.pull_request !== undefined;
}

async function listed(
  deps: GitHubTrackerDeps,
  queries: readonly { query: string; sinceMs?: number }[],
): Promise<TrackerIssue[]> {
  const found = new Map<string, TrackerIssue>();
  for (const at of everywhere(deps)) {
    for (const { query, sinceMs = null } of queries) {
      // Pull requests are among them.
      const rows = await walkChanged(GitHubIssue, at, { path: `/issues?${query}&`, sinceMs });
      const issues = rows.filter((one) => !isPull(one));
      for (const row of await withStates(deps, at, issues)) {
        const issue = await whole(deps, { ...at, number: row.number }, row);
        found.set(issue.id, issue);
      }
    }
  }
  return [...found.values()];
}

async function blockersOf(deps: GitHubTrackerDeps, place: IssuePlace): Promise<Blocker[]> {
  const roles = rolesOf(deps.latest());
  const path = `/issues/${place.number}/dependencies/blocked_by?per_page=100`;
  const rows = await withStates(deps, place, await askOf(place).all(GitHubIssue, path));
  return rows.map((row) => {
    const { id, identifier } = named(deps, row);
    const state = stateOf(rawState(row), roles);
    return { id, identifier, state, terminal: row.state === 'closed' };
  });
}

/** A blocker may lie in a repository that nothing here works on. */
function named(deps: GitHubTrackerDeps, row: GitHubIssue): { id: string; identifier: string } {
  const [owner, name] = new URL(row.html_url).pathname.split('/').slice(-4, -2);
  const id = `${owner}/${name}#${row.number}`;
  const place = placeOf(deps, id);
  if (place === null) return { id, identifier: id };
  const { tracked } = place;
  return { id: issueId(tracked, row.number), identifier: `${tracked.prefix}-${row.number}` };
}
