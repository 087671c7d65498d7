import type { Tracker } from '../../../ports/tracker/tracker.ts';
import type { CurrentGitHub } from '../api/github-connections.ts';
import { repositoryName } from '../api/repository-name.ts';
import type { Connected, IntegrationParts } from '../../integration.ts';
import { type CommentRules, whyIgnored } from './comments/why-ignored.ts';
import { handleIssueDelivery } from './handle-issue-delivery.ts';
import { issueId } from './github-issue.ts';
import { GITHUB_TRACKER } from './github-tracker-settings.ts';
import { locateIssue } from './locate-issue.ts';

type Parts = Pick<IntegrationParts, 'config' | 'logger' | 'host'> & {
  github: CurrentGitHub;
  tracker: Tracker;
};

/** Handles webhooks about issues while the code host's issues are the tracker. */
export function githubIssueDeliveries({
  config,
  logger,
  host,
  github,
  tracker,
}: Parts): NonNullable<Connected['issueDeliveries']> {
  return async (delivery) => {
    const { tracker: configured } = await config.load();
    const connection = github();
    if (configured.kind !== GITHUB_TRACKER || connection === null) return null;
    const { webBaseUrl } = connection.settings;
    const parts: Parameters<typeof handleIssueDelivery>[0] = {
      sync: (ids) => host.syncIssues(tracker, ids),
      hear: (comment) => {
        // A route may spell the repository differently from GitHub.
        const place = locateIssue({ latest: () => config.latest(), github }, comment.issueId);
        const id = place === null ? comment.issueId : issueId(place.tracked, place.number);
        return host.handleComment({ tracker: GITHUB_TRACKER, ...comment, issueId: id });
      },
      whyIgnored: (fullName, author) => {
        const there = repositoryName(`${webBaseUrl}/${fullName}`, webBaseUrl);
        const rules: CommentRules = {
          ownLogin: () => connection.access.ownLogin(),
          whyNot: async (speaker) =>
            there === null ? 'is in no repository' : connection.people.whyNot(there, speaker),
          allowedAuthors: configured.allowedAuthors,
          isNamedBot: (speaker) => connection.people.isNamedBot(speaker),
        };
        return whyIgnored(rules, author);
      },
      logger,
    };
    return handleIssueDelivery(parts, delivery);
  };
}
