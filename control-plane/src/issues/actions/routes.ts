import { AbortResponse, RetryResponse } from '@switchyard/shared/api/work/issue';
import { byIssue } from '../by-issue.ts';
import type { Deps } from '../../deps.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { abortIssue } from './abort-issue.ts';
import { retryIssue } from './retry-issue.ts';

/** Routes by which a person stops or retries one issue. */
export function issueActionRoutes(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'connections' | 'trackers' | 'wake'>,
) {
  return [
    endpoint({
      at: 'POST /api/v1/{id}/abort',
      summary: 'Stop an issue that runs or waits, also for a person',
      params: byIssue,
      answer: json(202, 'The stop is under way', AbortResponse),
      refusals: { 409: 'Nothing runs or waits' },
      handler: ({ params: { id: identifier }, caller }) => abortIssue(deps, { identifier, caller }),
    }),
    endpoint({
      at: 'POST /api/v1/{id}/retry',
      summary: 'Retry an issue; earlier failures no longer count',
      params: byIssue,
      answer: json(202, 'Queued', RetryResponse),
      refusals: { 409: 'The issue is running' },
      handler: ({ params: { id: identifier }, caller }) => retryIssue(deps, { identifier, caller }),
    }),
  ] as const;
}
