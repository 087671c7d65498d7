import { z } from 'zod';
import { GitHubError } from '../api/github-error.ts';
import { findState, isOneOf } from '../../../ports/tracker/find-state.ts';
import {
  type SeenMove,
  type Tracker,
  TrackerError,
  type TrackerIssue,
} from '../../../ports/tracker/tracker.ts';
import { existingIssue } from './find-issue.ts';
import { GitHubIssue, rawState } from './github-issue.ts';
import { requestsTo, type IssueLocation } from './issue-location.ts';
import { asState, plainLabels, priorityLabel, stateNames, stateOf } from './state-of.ts';
import { setProjectState } from './project-states.ts';
import { assigneeOf, whole, withStates } from './fetch-by-states.ts';
import { trackedRepositoriesOf, type GitHubTrackerDeps, rolesOf } from './locate-issue.ts';

/**
 * Moves an issue by labels, its project's field or by closing it, and reads it afterwards, because
 * GitHub confirms some changes that have no effect.
 */
export async function transition(
  deps: GitHubTrackerDeps,
  id: string,
  toState: string,
): Promise<SeenMove> {
  const roles = rolesOf(deps.latest());
  const wanted = findState(stateNames(roles), toState);
  if (wanted === undefined) throw new TrackerError('status', `there is no state ${toState}`);
  const { place, issue } = await standing(deps, id);
  const before = stateOf(rawState(issue), roles);
  if (before === wanted)
    return { before, state: before, updatedAtMs: Date.parse(issue.updated_at) };
  const raw = rawState(issue);
  const goal = asState(raw, wanted, roles);
  const inProject = await moveInProject(deps, place, issue.node_id, wanted);
  if (goal.state !== raw.state || (goal.reason !== null && goal.reason !== raw.reason)) {
    const reason = goal.reason === null ? {} : { state_reason: goal.reason };
    const path = `/issues/${place.number}`;
    await requestsTo(place).one(z.unknown(), {
      method: 'PATCH',
      path,
      body: { state: goal.state, ...reason },
    });
  }
  if (!inProject) await changeLabels(place, raw.labels, goal.labels);
  const { issue: seen } = await standing(deps, id);
  const updatedAtMs = Date.parse(seen.updated_at);
  return { before, state: stateOf(rawState(seen), roles), updatedAtMs };
}

/** The issue's present state, including that of a project. */
async function standing(deps: GitHubTrackerDeps, id: string) {
  const { place, issue: found } = await existingIssue(deps, id);
  const [issue = found] = await withStates(deps, place, [found]);
  return { place, issue };
}

/** Adds and removes single labels: replacing the set would lose those that others add meanwhile. */
async function changeLabels(
  place: IssueLocation,
  before: readonly string[],
  wanted: readonly string[],
): Promise<void> {
  const ask = requestsTo(place);
  const path = `/issues/${place.number}/labels`;
  const added = wanted.filter((name) => !isOneOf(name, before));
  if (added.length > 0) {
    await ask.one(z.unknown(), { method: 'POST', path, body: { labels: added } });
  }
  for (const name of before.filter((label) => !isOneOf(label, wanted))) {
    try {
      await ask.one(z.unknown(), { method: 'DELETE', path: `${path}/${encodeURIComponent(name)}` });
    } catch (error) {
      // Another person has already removed the label.
      if (!(error instanceof GitHubError) || error.status !== 404) throw error;
    }
  }
}

export async function createIssue(
  deps: GitHubTrackerDeps,
  input: Parameters<Tracker['createIssue']>[0],
): Promise<TrackerIssue> {
  const [at] = trackedRepositoriesOf(deps);
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
  const made = await requestsTo(at).one(GitHubIssue, {
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
  const me = await assigneeOf(deps, at);
  return whole(deps, { ...at, number: made.number }, { issue: read, me });
}

/**
 * Sets the state in a project; false when labels hold the states. A state that the project does not
 * know must be one that closes the issue.
 */
async function moveInProject(
  deps: GitHubTrackerDeps,
  { connection, tracked: { repository } }: Omit<IssueLocation, 'number'>,
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
