import { TransitionRequest, TransitionResponse } from '@switchyard/shared/api/work/transition';
import { byIssue } from '../by-issue.ts';
import type { Deps } from '../../deps.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { moveIssue } from './move-issue.ts';

/** The route by which a person moves one issue in its tracker. */
export function issueMoveRoutes(deps: Pick<Deps, 'db' | 'clock' | 'trackers' | 'wake'>) {
  return [
    endpoint({
      at: 'POST /api/v1/{id}/transition',
      summary: 'Move an issue to another state of its tracker',
      description:
        'Counts as a move by a person: it wakes a resting issue, and stops a running one that leaves the active states. With `stopRunning: false` a move that would stop a run is not made: 409 with code `stops_run`.',
      params: byIssue,
      body: TransitionRequest,
      answer: json(200, 'Moved', TransitionResponse),
      refusals: {
        409: 'The move would stop a run',
        422: 'The tracker has no such state for this issue',
        502: 'The tracker refused it',
        503: 'The tracker is not configured or cannot be reached',
      },
      handler: ({ params: { id: identifier }, body, caller }) => {
        const { to, target_state: target = '', reason = null, stopRunning } = body;
        return moveIssue(deps, { identifier, caller, to: to ?? target, reason, stopRunning });
      },
    }),
  ] as const;
}
