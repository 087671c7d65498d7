import { SteerRequest, SteerResponse } from '@switchyard/shared/api/work/issue';
import { byIssue } from '../by-issue.ts';
import type { Deps } from '../../deps.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { steerIssue } from './steer-issue.ts';

/** The route by which a person steers the running agent of one issue. */
export function issueSteerRoutes(
  deps: Pick<Deps, 'db' | 'clock' | 'ids' | 'connections' | 'logger'>,
) {
  return [
    endpoint({
      at: 'POST /api/v1/{id}/steer',
      summary: 'Say something to the running agent, in the middle of its turn',
      description:
        'With `delivered: false` the words are stored and handed over as soon as a turn of this attempt takes them.',
      params: byIssue,
      body: SteerRequest,
      answer: json(202, 'Stored', SteerResponse),
      refusals: { 409: 'No turn of the issue is live' },
      handler: ({ params: { id: identifier }, body: { message }, caller }) =>
        steerIssue(deps, { identifier, caller, message }),
    }),
  ] as const;
}
