import { z } from '@hono/zod-openapi';
import {
  ModelOverride,
  OverrideResponse,
  SteerRequest,
  SteerResponse,
  TemplateOverride,
} from '@switchyard/shared/api/work/issue';
import { TransitionRequest, TransitionResponse } from '@switchyard/shared/api/work/transition';
import { IssueIdentifier } from '@switchyard/shared/ids';
import type { Deps } from '../../deps.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { moveIssue } from './move-issue.ts';
import { setIssueModel } from './set-issue-model.ts';
import { setIssueTemplate } from './set-issue-template.ts';
import { steerIssue } from './steer-issue.ts';

const byIssue = z.object({ id: IssueIdentifier });

/** Routes by which a person steers or moves one issue and chooses its model and template. */
export function issueControlRoutes(deps: Deps) {
  return [
    endpoint({
      at: 'POST /api/v1/{id}/model',
      summary: 'Choose the engine and the model of an issue',
      description:
        'Holds from the next attempt on. What is left out goes back to what the configuration says.',
      params: byIssue,
      body: ModelOverride,
      answer: json(202, 'Stored', OverrideResponse),
      handler: ({ params: { id: identifier }, body: override, caller }) =>
        setIssueModel(deps, { identifier, caller, override }),
    }),
    endpoint({
      at: 'DELETE /api/v1/{id}/model',
      summary: 'Go back to the configured engine and model',
      params: byIssue,
      answer: json(202, 'Stored', OverrideResponse),
      handler: ({ params: { id: identifier }, caller }) =>
        setIssueModel(deps, { identifier, caller, override: null }),
    }),
    endpoint({
      at: 'POST /api/v1/{id}/template',
      summary: 'Choose the prompt template of an issue',
      description: 'Holds from the next attempt on.',
      params: byIssue,
      body: TemplateOverride,
      answer: json(202, 'Stored', OverrideResponse),
      handler: ({ params: { id: identifier }, body: { template_id: templateId }, caller }) =>
        setIssueTemplate(deps, { identifier, caller, templateId }),
    }),
    endpoint({
      at: 'DELETE /api/v1/{id}/template',
      summary: 'Go back to the configured prompt template',
      params: byIssue,
      answer: json(202, 'Stored', OverrideResponse),
      handler: ({ params: { id: identifier }, caller }) =>
        setIssueTemplate(deps, { identifier, caller, templateId: null }),
    }),
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
