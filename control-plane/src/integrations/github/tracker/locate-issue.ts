import type { EffectiveConfig } from '../../../config/schema/config-schema.ts';
import type { GitHubConnection } from '../api/github-connections.ts';
import { type StateRoles, TrackerError } from '../../../ports/tracker/tracker.ts';
import { trackedRepositories } from './github-tracker-settings.ts';
import type { IssueLocation } from './issue-location.ts';

const ID = /^([^/\s]+)\/([^/\s#]+)#([1-9][0-9]{0,9})$/;

export type GitHubTrackerDeps = {
  latest: () => EffectiveConfig;
  github: () => GitHubConnection | null;
};

export function rolesOf({ tracker }: EffectiveConfig): StateRoles {
  const { states, activeStates, terminalStates } = tracker;
  return { ...states, active: activeStates, terminal: terminalStates };
}

/** The routes' repositories that have a prefix. Throws a TrackerError without a connection. */
export function trackedRepositoriesOf(deps: GitHubTrackerDeps) {
  const connection = deps.github();
  if (connection === null) throw new TrackerError('auth', 'GitHub is not configured');
  const all = trackedRepositories(deps.latest(), connection.settings);
  return all.map((tracked) => ({ connection, tracked }));
}

/** Repository and number of an issue id; null when no route names the repository. */
export function locateIssue(deps: GitHubTrackerDeps, id: string): IssueLocation | null {
  const [, owner, name, number] = ID.exec(id) ?? [];
  const key = `${owner}/${name}`.toLowerCase();
  const found = trackedRepositoriesOf(deps).find(
    ({ tracked: { repository } }) => `${repository.owner}/${repository.name}`.toLowerCase() === key,
  );
  return found === undefined ? null : { ...found, number: Number(number) };
}

/**
 * Why an issue is not requested: no route names its repository. Null when one does, or the id is
 * malformed.
 */
export function whyNotTracked(deps: GitHubTrackerDeps, id: string): string | null {
  const [, owner, name] = ID.exec(id) ?? [];
  if (owner === undefined || locateIssue(deps, id) !== null) return null;
  const lacks = `no route leads to its repository ${owner}/${name}`;
  return `${lacks}: add one with a prefix to repos, or correct codehost.github.url`;
}
