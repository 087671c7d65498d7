import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
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
import { callerOf } from '../../http/caller/caller.ts';
import { errorResponses } from '../../http/error-responses.ts';
import { jsonContent } from '../../json-content.ts';
import { moveIssue } from './move-issue.ts';
import { setIssueModel } from './set-issue-model.ts';
import { setIssueTemplate } from './set-issue-template.ts';
import { steerIssue } from './steer-issue.ts';

const params = z.object({ id: IssueIdentifier });

/** What a person may set and say for one issue. */
export function issueControlRoutes(deps: Deps) {
  return [
    setModelRoute(deps),
    clearModelRoute(deps),
    setTemplateRoute(deps),
    clearTemplateRoute(deps),
    steerRoute(deps),
    transitionRoute(deps),
  ] as const;
}

function setModelRoute(deps: Deps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'post',
      path: '/api/v1/{id}/model',
      summary: 'Choose the model of an issue',
      description:
        'Holds from the next attempt on. A `reasoning_effort` that is left out goes back to the configured one.',
      request: { params, body: body(ModelOverride) },
      responses: {
        202: jsonContent('Stored', OverrideResponse),
        ...errorResponses(400, 403, 404, 413, 415),
      },
    }),
    handler: async (c) => {
      const { id: identifier } = c.req.valid('param');
      const input = { identifier, caller: callerOf(c), override: c.req.valid('json') };
      return c.json(await setIssueModel(deps, input), 202);
    },
  });
}

function clearModelRoute(deps: Deps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'delete',
      path: '/api/v1/{id}/model',
      summary: 'Go back to the configured model',
      request: { params },
      responses: { 202: jsonContent('Stored', OverrideResponse), ...errorResponses(400, 403, 404) },
    }),
    handler: async (c) => {
      const { id: identifier } = c.req.valid('param');
      const input = { identifier, caller: callerOf(c), override: null };
      return c.json(await setIssueModel(deps, input), 202);
    },
  });
}

function setTemplateRoute(deps: Deps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'post',
      path: '/api/v1/{id}/template',
      summary: 'Choose the prompt template of an issue',
      description: 'Holds from the next attempt on.',
      request: { params, body: body(TemplateOverride) },
      responses: {
        202: jsonContent('Stored', OverrideResponse),
        ...errorResponses(400, 403, 404, 413, 415),
      },
    }),
    handler: async (c) => {
      const { id: identifier } = c.req.valid('param');
      const { template_id: templateId } = c.req.valid('json');
      const input = { identifier, caller: callerOf(c), templateId };
      return c.json(await setIssueTemplate(deps, input), 202);
    },
  });
}

function clearTemplateRoute(deps: Deps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'delete',
      path: '/api/v1/{id}/template',
      summary: 'Go back to the configured prompt template',
      request: { params },
      responses: { 202: jsonContent('Stored', OverrideResponse), ...errorResponses(400, 403, 404) },
    }),
    handler: async (c) => {
      const { id: identifier } = c.req.valid('param');
      const input = { identifier, caller: callerOf(c), templateId: null };
      return c.json(await setIssueTemplate(deps, input), 202);
    },
  });
}

function steerRoute(deps: Deps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'post',
      path: '/api/v1/{id}/steer',
      summary: 'Say something to the running agent, in the middle of its turn',
      description:
        'With `delivered: false` the words are stored and handed over as soon as a turn of this attempt takes them.',
      request: { params, body: body(SteerRequest) },
      responses: {
        202: jsonContent('Stored', SteerResponse),
        ...errorResponses(400, 403, 404, 409, 413, 415),
      },
    }),
    handler: async (c) => {
      const { id: identifier } = c.req.valid('param');
      const { message } = c.req.valid('json');
      return c.json(await steerIssue(deps, { identifier, caller: callerOf(c), message }), 202);
    },
  });
}

function transitionRoute(deps: Deps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'post',
      path: '/api/v1/{id}/transition',
      summary: 'Move an issue to another state of its tracker',
      description:
        'Counts as a move by a person: it wakes a resting issue, and stops a running one that leaves the active states. With `stopRunning: false` a move that would stop a run is not made: 409 with code `stops_run`.',
      request: { params, body: body(TransitionRequest) },
      responses: {
        200: jsonContent('Moved', TransitionResponse),
        ...errorResponses(400, 403, 404, 409, 413, 415, 422, 502, 503),
      },
    }),
    handler: async (c) => {
      const { id: identifier } = c.req.valid('param');
      const { to, target_state: target = '', reason = null, stopRunning } = c.req.valid('json');
      const input = { identifier, caller: callerOf(c), to: to ?? target, reason, stopRunning };
      return c.json(await moveIssue(deps, input), 200);
    },
  });
}

function body<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { 'application/json': { schema } } };
}
