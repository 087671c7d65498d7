import { isOneOf } from '../../../ports/tracker/find-state.ts';
import type { TrackerIssue } from '../../../ports/tracker/tracker.ts';
import type { OnUnreadable } from '../../../ports/tracker/unreadable-record.ts';
import { GitHubError } from '../api/github-error.ts';
import { judgeBot, UNNAMED_BOT } from '../api/judge-bot.ts';
import { findIssue, whyMoved } from './find-issue.ts';
import {
  type Blocker,
  GitHubIssue,
  identifierOf,
  issueId,
  Numbered,
  rawState,
  trackerIssue,
  unreadableAt,
  unreadableIssue,
} from './github-issue.ts';
import { requestsTo, type IssueLocation } from './issue-location.ts';
import { OPEN, stateNames, stateOf, withProjectState } from './state-of.ts';
import { projectStates } from './project-states.ts';
import { walkChanged } from './walk-changed.ts';
import {
  trackedRepositoriesOf,
  type GitHubTrackerDeps,
  locateIssue,
  rolesOf,
} from './locate-issue.ts';

const AT_ONCE = 5;

export async function fetchByStates(
  deps: GitHubTrackerDeps,
  states: readonly string[],
  onUnreadable: OnUnreadable,
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
    onUnreadable,
  );
  return found.filter(({ state }) => wanted.includes(state));
}

export async function fetchChanged(
  deps: GitHubTrackerDeps,
  sinceMs: number,
  onUnreadable: OnUnreadable,
): Promise<TrackerIssue[]> {
  // A change in a project does not change the issue, so only reading all open issues shows it.
  if (deps.latest().tracker.github?.project !== undefined) {
    const queries = [{ query: 'state=open' }, { query: 'state=closed', sinceMs }];
    return listed(deps, queries, onUnreadable);
  }
  return listed(deps, [{ query: 'state=all', sinceMs }], onUnreadable);
}

export async function fetchByIds(
  deps: GitHubTrackerDeps,
  ids: readonly string[],
  onUnreadable: OnUnreadable,
): Promise<TrackerIssue[]> {
  const places = [...new Set(ids)].flatMap((id) => locateIssue(deps, id) ?? []);
  const found: (TrackerIssue | null)[] = [];
  for (let from = 0; from < places.length; from += AT_ONCE) {
    const some = places.slice(from, from + AT_ONCE).map(async (place) => {
      const me = await assigneeOf(deps, place);
      return unlessRefused(
        () => lookedUp(deps, place, me),
        (error) => {
          const { category, problem, message } = error;
          const isRefused = category === 'status';
          onUnreadable({ ...unreadableAt(place, problem ?? message), isRefused });
        },
      );
    });
    found.push(...(await Promise.all(some)));
  }
  return found.filter((issue) => issue !== null);
}

/** The issue with its details; null when it no longer exists. */
async function lookedUp(
  deps: GitHubTrackerDeps,
  place: IssueLocation,
  me: string | undefined,
): Promise<TrackerIssue | null> {
  const found = await findIssue(place);
  if (found === null) return null;
  if (found.movedTo !== null) return departed(deps, place, found.issue, found.movedTo);
  const [issue = found.issue] = await withStates(deps, place, [found.issue]);
  return whole(deps, place, { issue, me });
}

/** Runs a request; null also when the answer about one issue is refused or unreadable. */
async function unlessRefused<T>(
  read: () => Promise<T>,
  whenRefused: (error: GitHubError) => void,
): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    const isRefused =
      error instanceof GitHubError &&
      (error.category === 'response' || error.category === 'status');
    if (!isRefused) throw error;
    whenRefused(error);
    return null;
  }
}

/** An issue that was transferred: it keeps its old id but can no longer be worked on. */
function departed(
  deps: GitHubTrackerDeps,
  place: IssueLocation,
  issue: GitHubIssue,
  movedTo: string,
): TrackerIssue {
  const { allowedAuthors } = deps.latest().tracker;
  const more = { blockedBy: [], allowedAuthors, assignee: undefined, refusedAuthor: null };
  const here = { ...issue, number: place.number };
  const known = trackerIssue(place.tracked, here, rolesOf(deps.latest()), more);
  return { ...known, nativeRef: null, unroutable: whyMoved(deps, movedTo), movedTo };
}

/**
 * Adds the project's states to issues, if a project holds them. An issue whose state is unreadable
 * is left out, or throws a GitHubError if no callback is given.
 */
export async function withStates(
  deps: GitHubTrackerDeps,
  { connection, tracked: { repository } }: Omit<IssueLocation, 'number'>,
  rows: readonly GitHubIssue[],
  onUnreadable: (row: GitHubIssue, problem: string) => void = refuse,
): Promise<readonly GitHubIssue[]> {
  const config = deps.latest();
  const project = config.tracker.github?.project;
  if (project === undefined || rows.length === 0) return rows;
  const place = { connection, repository, project };
  const problems = new Map<string, string>();
  const states = await projectStates(
    place,
    rows.map((row) => row.node_id),
    (nodeId, problem) => void problems.set(nodeId, problem),
  );
  const roles = rolesOf(config);
  return rows.flatMap((row) => {
    const problem = problems.get(row.node_id);
    if (problem === undefined)
      return { ...row, labels: withProjectState(row.labels, states.get(row.node_id), roles) };
    onUnreadable(row, `its state in the project: ${problem}`);
    return [];
  });
}

function refuse(row: unknown, problem: string): never {
  const { data } = Numbered.safeParse(row);
  const which = data === undefined ? 'an issue' : `issue #${data.number}`;
  throw new GitHubError('response', `${which} cannot be read: ${problem}`);
}

/** The issue in the port's form, with its blockers and its assignee. */
export async function whole(
  deps: GitHubTrackerDeps,
  place: IssueLocation,
  { issue, me }: { issue: GitHubIssue; me: string | undefined },
): Promise<TrackerIssue> {
  const config = deps.latest();
  const isNamedBot = issue.user != null && place.connection.people.isNamedBot(issue.user);
  const allowedAuthors = isNamedBot ? [] : config.tracker.allowedAuthors;
  const count = issue.issue_dependencies_summary?.total_blocked_by ?? 0;
  const blockedBy = count === 0 ? [] : await blockersOf(deps, place);
  const refusedAuthor = await refusedBot(place, issue);
  const more = { blockedBy, allowedAuthors, assignee: me, refusedAuthor };
  return trackerIssue(place.tracked, issue, rolesOf(config), more);
}

/**
 * Why a bot's issue is refused: it counts only if the bot is named. Issues that this service opens
 * always count.
 */
async function refusedBot(
  { connection: { access, settings } }: Omit<IssueLocation, 'number'>,
  { user }: GitHubIssue,
): Promise<string | null> {
  if (!user || judgeBot(user, settings.namedBots) !== 'unnamed') return null;
  const isOurs = user.login === (await access.ownLogin());
  return isOurs ? null : `not worked on: ${user.login} ${UNNAMED_BOT}`;
}

/** The assignee whose issues are worked on; undefined: everybody's. */
export async function assigneeOf(
  deps: GitHubTrackerDeps,
  { connection }: Omit<IssueLocation, 'number'>,
): Promise<string | undefined> {
  const { assignee } = deps.latest().tracker;
  return assignee === 'me' ? connection.access.ownLogin() : assignee;
}

function isPull(issue: GitHubIssue): boolean {
  return issue.pull_request !== undefined;
}

async function listed(
  deps: GitHubTrackerDeps,
  queries: readonly { query: string; sinceMs?: number }[],
  onUnreadable: OnUnreadable,
): Promise<TrackerIssue[]> {
  const found = new Map<string, TrackerIssue>();
  const roles = rolesOf(deps.latest());
  for (const at of trackedRepositoriesOf(deps)) {
    const me = await assigneeOf(deps, at);
    const tellOf = (row: unknown, problem: string) => {
      const record = unreadableIssue(at.tracked, roles, { row, problem });
      if (record !== null) onUnreadable(record);
    };
    for (const { query, sinceMs = null } of queries) {
      // The list also contains pull requests.
      const of = { path: `/issues?${query}&`, sinceMs, onUnreadable: tellOf };
      const issues = (await walkChanged(GitHubIssue, at, of)).filter((one) => !isPull(one));
      for (const row of await withStates(deps, at, issues, tellOf)) {
        const place = { ...at, number: row.number };
        const whenRefused = ({ problem, message }: GitHubError) => tellOf(row, problem ?? message);
        const issue = await unlessRefused(
          () => whole(deps, place, { issue: row, me }),
          whenRefused,
        );
        if (issue !== null) found.set(issue.id, issue);
      }
    }
  }
  return [...found.values()];
}

/** All blockers: an issue with an unreadable blocker must not start as if nothing blocked it. */
async function blockersOf(deps: GitHubTrackerDeps, place: IssueLocation): Promise<Blocker[]> {
  const roles = rolesOf(deps.latest());
  const path = `/issues/${place.number}/dependencies/blocked_by?per_page=100`;
  const found = await requestsTo(place).all(GitHubIssue, path, { onUnreadable: refuse });
  const rows = await withStates(deps, place, found);
  return rows.map((row) => {
    const { id, identifier } = named(deps, row);
    const state = stateOf(rawState(row), roles);
    return { id, identifier, state, terminal: row.state === 'closed' };
  });
}

/** Id and name of a blocker, which may be in a repository without a route. */
function named(deps: GitHubTrackerDeps, row: GitHubIssue): { id: string; identifier: string } {
  const [owner, name] = new URL(row.html_url).pathname.split('/').slice(-4, -2);
  const id = `${owner}/${name}#${row.number}`;
  const place = locateIssue(deps, id);
  if (place === null) return { id, identifier: id };
  const { tracked } = place;
  return { id: issueId(tracked, row.number), identifier: identifierOf(tracked, row.number) };
}
