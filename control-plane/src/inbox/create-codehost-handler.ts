import type { CurrentGitHub } from '../integrations/github/api/github-connections.ts';
import type { Deps } from '../deps.ts';
import type { Speaker } from '../integrations/github/api/github-people.ts';
import { repositoryName } from '../integrations/github/api/repository-name.ts';
import { handlePullRequestDelivery } from '../pull-requests/feedback/handle-pull-request-delivery.ts';
import { hearComment } from '../issues/actions/hear-comment.ts';
import { syncIssues } from '../issues/sync/sync-tracker-issues.ts';
import type { DeliveryHandler, DeliveryResult } from '../ports.ts';
import { handleIssueDelivery } from '../integrations/github/tracker/github-delivery-handler.ts';
import { deliverySecret } from './receive/delivery-secret.ts';
import { issueId } from '../integrations/github/tracker/github-issue.ts';
import { GITHUB_TRACKER } from '../integrations/github/tracker/github-tracker-settings.ts';
import { placeOf } from '../integrations/github/tracker/tracked-places.ts';

/** Does what the code host's deliveries ask for, about pull requests and about issues. */
export function createCodehostHandler(deps: Deps, github: CurrentGitHub): DeliveryHandler {
  return {
    async handle(delivery, signal) {
      const asIssue = await aboutIssue(deps, github, delivery);
      return asIssue ?? handlePullRequestDelivery(deps, delivery, signal);
    },
    async checkSubscription(signal) {
      // Who has set no secret uses no webhook.
      if ((await deliverySecret(deps, 'codehost')) === null) return null;
      const { repos, webhook } = await deps.config.load();
      const { webhookUrl } = webhook;
      const host = webhookUrl === undefined ? null : new URL(webhookUrl).host;
      const repositoryUrls = repos.map(({ url }) => url);
      for (const codeHost of deps.codeHosts) {
        const status = await codeHost.checkWebhook?.({ repositoryUrls, host }, signal);
        if (status !== undefined && status !== null) return status;
      }
      return null;
    },
  };
}

/** Null when it is not about an issue, or when issues are tracked elsewhere. */
async function aboutIssue(
  deps: Deps,
  github: CurrentGitHub,
  delivery: Parameters<DeliveryHandler['handle']>[0],
): Promise<DeliveryResult | null> {
  const { tracker: config } = await deps.config.load();
  const tracker = deps.trackers.get(GITHUB_TRACKER);
  const connection = github();
  if (config.kind !== GITHUB_TRACKER || tracker === undefined || connection === null) return null;
  const { webBaseUrl } = connection.settings;
  const parts = {
    sync: (ids: readonly string[]) => syncIssues(deps, tracker, ids),
    hear: (comment: Omit<Parameters<typeof hearComment>[1], 'tracker'>) => {
      // A route may spell the repository otherwise than GitHub does.
      const place = placeOf({ latest: () => deps.config.latest(), github }, comment.issueId);
      const id = place === null ? comment.issueId : issueId(place.tracked, place.number);
      return hearComment(deps, { tracker: GITHUB_TRACKER, ...comment, issueId: id });
    },
    ownLogin: () => connection.access.ownLogin(),
    whyNot: async (fullName: string, speaker: Speaker) => {
      const there = repositoryName(`${webBaseUrl}/${fullName}`, webBaseUrl);
      return there === null ? 'is in no repository' : connection.people.whyNot(there, speaker);
    },
    logger: deps.logger,
    allowedAuthors: () => config.allowedAuthors,
  };
  return handleIssueDelivery(parts, delivery);
}
