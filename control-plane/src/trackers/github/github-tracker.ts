import { z } from 'zod';
import type { GitHubConnection } from '../../github-api/github-connections.ts';
import { GitHubError } from '../../github-api/github-error.ts';
import type { EffectiveConfig } from '../../config/config-schema.ts';
import { findState, isOneOf } from '../normalise-state.ts';
import { type StateRoles, type Tracker, TrackerError, type TrackerIssue } from '../tracker.ts';
import { type Blocker, GitHubIssue, issueId, rawState, trackerIssue } from './github-issue.ts';
import { GITHUB_TRACKER, trackedRepositories } from './github-tracker-settings.ts';
import { askOf, type IssuePlace } from './issue-place.ts';
import {
  asState,
  OPEN,
  plainLabels,
  priorityLabel,
  stateNames,
  stateOf,
  withProjectState,
} from './issue-states.ts';
import { projectStates, setProjectState } from './project-states.ts';
import { readComments } from './read-comments.ts';
import { upsertServiceComment } from './service-comment.ts';

const AT_ONCE = 5;
const ID = /^([^/\s]+)\/([^/\s#]+)#([1-9][0-9]{0,9})$/;

export type GitHubTrackerDeps = {
  latest: () => EffectiveConfig;
  github: () => GitHubConnection | null;
};

/** Issues of the routes' repositories on GitHub. States are labels, terminal ones close the issue. */
export function createGitHubTracker(deps: GitHubTrackerDeps): Tracker {
  const roles = () => rolesOf(deps.latest());
  return {
    kind: GITHUB_TRACKER,
    stateRoles: roles,
    fetchByStates: (states) => said(() => fetchByStates(deps, states)),
    fetchChanged: (sinceMs) => said(() => fetchChanged(deps, sinceMs)),
    fetchByIds: (ids) => said(() => fetchByIds(deps, ids)),
    listStates: (id) =>
      said(async () => {
        await existing(deps, id);
        return stateNames(roles());
      }),
    transition: (id, toState) => said(() => transition(deps, id, toState)),
    upsertComment: (id, key, body) =>
      said(async () => upsertServiceComment(await existing(deps, id), key, body)),
    listComments: (id, limit) => said(async () => readComments(await existing(deps, id), limit)),
    attach: (id, { url, title }) =>
      said(async () => {
        const body = `[${title.replaceAll(/[[\]\\]/g, String.raw`\$&`)}](<${encodeURI(url)}>)`;
        await upsertServiceComment(await existing(deps, id), `attachment ${url}`, body);
      }),
    createIssue: (input) => said(() => createIssue(deps, input)),
  };
}

function rolesOf({ tracker }: EffectiveConfig): StateRoles {
  const { states, activeStates, terminalStates } = tracker;
  return { ...states, active: activeStates, terminal: terminalStates };
}

/** What GitHub's errors are in the words of the port. */
async function said<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    throw new TrackerError(error.category, `GitHub: ${error.message}`, error.retryAtMs);
  }
}

function everywhere(deps: GitHubTrackerDeps) {
  const connection = deps.github();
  if (connection === null) throw new TrackerError('auth', 'GitHub is not configured');
  const all = trackedRepositories(deps.latest(), connection.settings);
  return all.map((tracked) => ({ connection, tracked }));
}

function placeOf(deps: GitHubTrackerDeps, id: string): IssuePlace | null {
  const [, owner, name, number] = ID.exec(id) ?? [];
  const key = `${owner}/${name}`.toLowerCase();
  const found = everywhere(deps).find(
    ({ tracked: { repository } }) => `${repository.owner}/${repository.name}`.toLowerCase() === key,
  );
  return found === undefined ? null : { ...found, number: Number(number) };
}

/** Throws a TrackerError when there is no such issue. */
async function existing(deps: GitHubTrackerDeps, id: string): Promise<IssuePlace> {
  const place = placeOf(deps, id);
  if (place === null || (await readIssue(deps, place)) === null) {
    throw new TrackerError('status', `there is no issue ${id}`);
  }
  return place;
}

async function readIssue(deps: GitHubTrackerDeps, place: IssuePlace): Promise<GitHubIssue | null> {
  try {
    const issue = await askOf(place).one(GitHubIssue, { path: `/issues/${place.number}` });
    if (isPull(issue)) return null;
    const [read] = await withStates(deps, place, [issue]);
    return read ?? null;
  } catch (error) {
    const isGone = error instanceof GitHubError && (error.status === 404 || error.status === 410);
    if (isGone) return null;
    throw error;
  }
}

/** The issues with what the project says of their state, where one holds the states. */
async function withStates(
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

function isPull(issue: GitHubIssue): boolean {
  return issue.pull_request !== undefined;
}

async function fetchByStates(
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
  const found = await listed(deps, queries);
  return found.filter(({ state }) => wanted.includes(state));
}

async function fetchChanged(deps: GitHubTrackerDeps, sinceMs: number): Promise<TrackerIssue[]> {
  const since = new Date(Math.floor(sinceMs / 1_000) * 1_000).toISOString();
  const query = `since=${encodeURIComponent(since)}`;
  // A change in a project is none of the issue's: only looking at all of them shows it.
  if (deps.latest().tracker.github?.project !== undefined) {
    return listed(deps, ['state=open', `state=closed&${query}`]);
  }
  return listed(deps, [`state=all&${query}`]);
}

async function listed(deps: GitHubTrackerDeps, queries: string[]): Promise<TrackerIssue[]> {
  const found = new Map<string, TrackerIssue>();
  for (const at of everywhere(deps)) {
    for (const query of queries) {
      const rows = await askOf(at).all(GitHubIssue, `/issues?${query}&per_page=100`);
      const issues = rows.filter((one) => !isPull(one));
      for (const row of await withStates(deps, at, issues)) {
        const issue = await whole(deps, { ...at, number: row.number }, row);
        found.set(issue.id, issue);
      }
    }
  }
  return [...found.values()];
}

async function fetchByIds(
  deps: GitHubTrackerDeps,
  ids: readonly string[],
): Promise<TrackerIssue[]> {
  const places = [...new Set(ids)].flatMap((id) => placeOf(deps, id) ?? []);
  const found: TrackerIssue[] = [];
  for (let from = 0; from < places.length; from += AT_ONCE) {
    const some = await Promise.all(
      places.slice(from, from + AT_ONCE).map(async (place) => {
        const issue = await readIssue(deps, place);
        return issue === null ? null : whole(deps, place, issue);
      }),
    );
    found.push(...some.filter((issue) => issue !== null));
  }
  return found;
}

async function whole(
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

async function transition(deps: GitHubTrackerDeps, id: string, toState: string): Promise<void> {
  const roles = rolesOf(deps.latest());
  const wanted = findState(stateNames(roles), toState);
  if (wanted === undefined) throw new TrackerError('status', `there is no state ${toState}`);
  const place = placeOf(deps, id);
  const issue = place === null ? null : await readIssue(deps, place);
  if (place === null || issue === null) throw new TrackerError('status', `there is no issue ${id}`);
  if (stateOf(rawState(issue), roles) === wanted) return;
  const { state, reason, labels } = asState(rawState(issue), wanted, roles);
  const inProject = await moveInProject(deps, place, issue.node_id, wanted);
  await askOf(place).one(z.unknown(), {
    method: 'PATCH',
    path: `/issues/${place.number}`,
    body: {
      state,
      ...(reason === null ? {} : { state_reason: reason }),
      ...(inProject ? {} : { labels }),
    },
  });
}

/**
 * False: labels hold the states. A state that the project does not know can only be one that closes
 * the issue.
 */
async function moveInProject(
  deps: GitHubTrackerDeps,
  { connection, tracked: { repository } }: Omit<IssuePlace, 'number'>,
  nodeId: string,
  wanted: string,
): Promise<boolean> {
  const config = deps.latest();
  const project = config.tracker.github?.project;
  if (project === undefined) return false;
  const isSet = await setProjectState({ connection, repository, project }, nodeId, wanted);
  if (isSet || isOneOf(wanted, rolesOf(config).terminal)) return true;
  throw new TrackerError('status', `the field ${project.field} has no option ${wanted}`);
}

async function createIssue(
  deps: GitHubTrackerDeps,
  input: Parameters<Tracker['createIssue']>[0],
): Promise<TrackerIssue> {
  const [at] = everywhere(deps);
  if (at === undefined)
    throw new TrackerError('status', 'no route leads to a repository on GitHub');
  const roles = rolesOf(deps.latest());
  const { priority = 0, description } = input;
  const [first] = roles.active;
  const inProject = deps.latest().tracker.github?.project !== undefined;
  const labels = [
    ...plainLabels(input.labels ?? [], roles),
    ...(priority >= 1 && priority <= 4 ? [priorityLabel(priority)] : []),
    ...(first === undefined || inProject ? [] : [first]),
  ];
  const made = await askOf(at).one(GitHubIssue, {
    method: 'POST',
    path: '/issues',
    body: {
      title: input.title.replaceAll(/\s*[\r\n]+\s*/g, ' '),
      ...(description === undefined ? {} : { body: description }),
      labels,
    },
  });
  if (inProject && first !== undefined) await moveInProject(deps, at, made.node_id, first);
  const [read = made] = await withStates(deps, at, [made]);
  return whole(deps, { ...at, number: made.number }, read);
}
