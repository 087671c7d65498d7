import { z } from 'zod';
import { GitHubError } from '../api/github-error.ts';
import { TrackerError } from '../../../ports/tracker/tracker.ts';
import { GitHubIssue } from './github-issue.ts';
import { requestsTo, type IssueLocation } from './issue-location.ts';
import { type GitHubTrackerDeps, locateIssue, whyNotTracked } from './locate-issue.ts';

/** An issue as GitHub returns it by repository and number. */
export type FoundIssue = {
  issue: GitHubIssue;
  /** New location as `owner/name#number`; null when the issue was not transferred. */
  movedTo: string | null;
};

const Repository = z.object({ full_name: z.string() });

/**
 * Reads an issue. GitHub redirects from a transferred issue to its new location, whose number may
 * belong to another issue here. Null when there is no issue with this number, or it is a pull
 * request.
 */
export async function findIssue(place: IssueLocation): Promise<FoundIssue | null> {
  try {
    const issue = await requestsTo(place).one(GitHubIssue, { path: `/issues/${place.number}` });
    if (issue.pull_request !== undefined) return null;
    const answered = repositoryOf(issue);
    const { owner, name } = place.tracked.repository;
    const isSame =
      issue.number === place.number &&
      (isEqual(answered, `${owner}/${name}`) || isEqual(answered, await presentName(place)));
    return { issue, movedTo: isSame ? null : `${answered}#${issue.number}` };
  } catch (error) {
    const isGone = error instanceof GitHubError && (error.status === 404 || error.status === 410);
    if (!isGone) throw error;
    // Throws if the repository is invisible as well: then nothing is known about the issue.
    await presentName(place);
    return null;
  }
}

/** The issue; throws a TrackerError when it does not exist or was transferred. */
export async function existingIssue(
  deps: GitHubTrackerDeps,
  id: string,
): Promise<{ place: IssueLocation; issue: GitHubIssue }> {
  const place = locateIssue(deps, id);
  const found = place === null ? null : await findIssue(place);
  if (place === null || found === null) {
    throw new TrackerError('status', whyNotTracked(deps, id) ?? `there is no issue ${id}`);
  }
  const { issue, movedTo } = found;
  if (movedTo === null) return { place, issue };
  throw new TrackerError('status', `${id} was moved to ${movedTo}`, { isRefusal: true });
}

/** Why a transferred issue is no longer worked on under its old id. */
export function whyMoved(deps: GitHubTrackerDeps, movedTo: string): string {
  const place = locateIssue(deps, movedTo);
  if (place === null) return `it was moved to ${movedTo}; no route leads there`;
  return `it was moved to ${place.tracked.prefix}-${place.number}, where it is worked on`;
}

/** The repository's present name: after a rename its issues still belong to it. */
async function presentName(place: IssueLocation): Promise<string> {
  return (await requestsTo(place).one(Repository, { path: '' })).full_name;
}

function repositoryOf({ repository_url: url, html_url: page }: GitHubIssue): string {
  const parts = new URL(url ?? page).pathname.split('/').filter((part) => part !== '');
  return (url === undefined ? parts.slice(-4, -2) : parts.slice(-2)).join('/');
}

function isEqual(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
