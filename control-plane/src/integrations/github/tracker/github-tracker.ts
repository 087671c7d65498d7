import { z } from 'zod';
import { GitHubError } from '../api/github-error.ts';
import type { Logger } from '../../../ports/ports.ts';
import { type Tracker, TrackerError, type TrackerComment } from '../../../ports/tracker/tracker.ts';
import { refuseUnreadable } from '../../../ports/tracker/refuse-unreadable.ts';
import { createIssue, transition } from './transition.ts';
import { existingIssue } from './find-issue.ts';
import { GITHUB_TRACKER } from './github-tracker-settings.ts';
import { type IssueLocation, requestsTo } from './issue-location.ts';
import { stateNames } from './state-of.ts';
import { fetchByIds, fetchByStates, fetchChanged } from './fetch-by-states.ts';
import { newCommentsReader } from './comments/new-comments-reader.ts';
import { upsertServiceComment } from './comments/upsert-service-comment.ts';
import { type GitHubTrackerDeps, rolesOf, whyNotTracked } from './locate-issue.ts';

const Comment = z.object({
  body: z.string().nullish(),
  user: z.object({ login: z.string() }).nullable(),
  created_at: z.iso.datetime(),
});

/**
 * The tracker for issues of the routes' repositories on GitHub. States are labels, or values of a
 * project's field if one is configured; terminal states close the issue.
 */
export function createGitHubTracker(deps: GitHubTrackerDeps & { logger: Logger }): Tracker {
  const roles = () => rolesOf(deps.latest());
  const readNewComments = newCommentsReader(deps, deps.logger);
  return {
    kind: GITHUB_TRACKER,
    stateRoles: roles,
    fetchByStates: (states, onUnreadable = refuseUnreadable) =>
      withTrackerErrors(() => fetchByStates(deps, states, onUnreadable)),
    fetchChanged: (sinceMs, onUnreadable = refuseUnreadable) =>
      withTrackerErrors(() => fetchChanged(deps, sinceMs, onUnreadable)),
    newComments: (query) => withTrackerErrors(() => readNewComments(query)),
    fetchByIds: (ids, onUnreadable = refuseUnreadable) =>
      withTrackerErrors(() => fetchByIds(deps, ids, onUnreadable)),
    whyNotTracked: (id) => whyNotTracked(deps, id),
    listStates: (id) =>
      withTrackerErrors(async () => {
        await existingIssue(deps, id);
        return stateNames(roles());
      }),
    transition: (id, toState) => withTrackerErrors(() => transition(deps, id, toState)),
    upsertComment: (id, key, body) =>
      withTrackerErrors(async () =>
        upsertServiceComment(await placeOfExisting(deps, id), key, body),
      ),
    listComments: (id, limit) =>
      withTrackerErrors(async () => readComments(await placeOfExisting(deps, id), limit)),
    attach: (id, { url, title }) =>
      withTrackerErrors(async () => {
        const body = `[${title.replaceAll(/[[\]\\]/g, String.raw`\$&`)}](<${encodeURI(url)}>)`;
        await upsertServiceComment(await placeOfExisting(deps, id), `attachment ${url}`, body);
      }),
    createIssue: (input) => withTrackerErrors(() => createIssue(deps, input)),
  };
}

async function placeOfExisting(deps: GitHubTrackerDeps, id: string): Promise<IssueLocation> {
  return (await existingIssue(deps, id)).place;
}

/** Runs requests and converts GitHub's errors to those of the port. */
async function withTrackerErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    const { category, message, retryAtMs, isRefusal } = error;
    throw new TrackerError(category, `GitHub: ${message}`, { retryAtMs, isRefusal });
  }
}

/** The newest comments of an issue, oldest first. Throws a GitHubError. */
async function readComments(place: IssueLocation, limit: number): Promise<TrackerComment[]> {
  const path = `/issues/${place.number}/comments?per_page=100`;
  const rows = await requestsTo(place).all(Comment, path);
  return rows.slice(-limit).map(({ body, user, created_at }) => ({
    author: user?.login ?? 'ghost',
    body: body ?? '',
    createdAtMs: Date.parse(created_at),
  }));
}
