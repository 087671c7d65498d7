import { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { byIssue } from '../../issues/by-issue.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import type { DeliveryDeps } from './connect-delivery.ts';
import { deliverAgain } from './deliver-again.ts';
import { publishIssue } from './publish-issue.ts';

/** Routes by which a person retries or publishes a delivery. */
export function deliveryRoutes(deps: DeliveryDeps) {
  return [
    endpoint({
      at: 'POST /api/v1/{id}/deliver',
      summary: 'Repeat only the delivery of work that was refused or given up',
      description: 'The kept commit is pushed and its pull request opened; no agent runs.',
      params: byIssue,
      answer: json(201, 'The pull request', PullRequest),
      refusals: {
        409: 'No undelivered work is kept',
        502: 'The code host refused it again',
        503: 'No code host serves the repository, or no runner can push',
      },
      handler: ({ params: { id: identifier }, caller }) =>
        deliverAgain(deps, { identifier, caller }),
    }),
    endpoint({
      at: 'POST /api/v1/{id}/publish',
      summary: 'Deliver unfinished work as a draft pull request',
      params: byIssue,
      answer: json(201, 'The draft', PullRequest),
      refusals: {
        409: 'The issue is running',
        502: 'The code host refused it',
        503: 'No code host serves the repository, or no runner can push',
      },
      handler: ({ params: { id: identifier }, caller }) =>
        publishIssue(deps, { identifier, caller }),
    }),
  ] as const;
}
