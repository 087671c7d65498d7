import { createRoute, defineOpenAPIRoute } from '@hono/zod-openapi';
import { Issue } from '@switchyard/shared/api/work/issue';
import {
  ConfirmMasterKey,
  ConnectGitHub,
  ConnectProvider,
  CreateTestIssue,
  GitHubConnected,
  ProviderConnected,
  SetupCheck,
  SetupCheckRequest,
  SetupOverview,
} from '@switchyard/shared/api/admin/setup';
import type { Deps } from '../../deps.ts';
import { callerOf } from '../../http/caller/caller.ts';
import { errorResponses } from '../../http/error-responses.ts';
import { issueRecord } from '../../issues/issue-record.ts';
import { jsonContent } from '../../json-content.ts';
import type { LocalTrackerSettings } from '../../integrations/local/tracker/local-tracker-deps.ts';
import { createCheckSetup } from './check-setup.ts';
import { confirmMasterKey } from './confirm-master-key.ts';
import { connectGitHub } from './tracker/connect-github.ts';
import { connectProvider } from './connect-provider.ts';
import { createTestIssue } from './create-test-issue.ts';
import { getSetup } from './get-setup.ts';

type GuidedDeps = Deps & { settings: LocalTrackerSettings };

const TAGS = { tags: ['Setup'] };
const REFUSALS = [400, 403, 413, 415] as const;

/** The way from nothing to a first pull request, step by step. */
export function guidedSetupRoutes(deps: GuidedDeps) {
  return [...lookRoutes(deps), ...connectRoutes(deps)] as const;
}

function lookRoutes(deps: GuidedDeps) {
  const check = createCheckSetup(deps);
  return [
    defineOpenAPIRoute({
      route: createRoute({
        ...TAGS,
        method: 'get',
        path: '/api/v1/setup',
        summary: 'Where the setup stands, step by step',
        responses: { 200: jsonContent('The steps', SetupOverview), ...errorResponses() },
      }),
      handler: async (c) => c.json(await getSetup(deps), 200),
    }),
    defineOpenAPIRoute({
      route: createRoute({
        ...TAGS,
        method: 'post',
        path: '/api/v1/setup/check',
        summary: 'Look at the real thing behind a step; changes nothing',
        description: 'What an upstream refuses is the answer, in its own words.',
        request: { body: { required: true, ...jsonContent('Which step', SetupCheckRequest) } },
        responses: {
          200: jsonContent('What was found', SetupCheck),
          ...errorResponses(...REFUSALS),
        },
      }),
      handler: async (c) => c.json(await check(c.req.valid('json').step), 200),
    }),
  ] as const;
}

function connectRoutes(deps: GuidedDeps) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        ...TAGS,
        method: 'post',
        path: '/api/v1/setup/master-key/confirm',
        summary: 'Say that a copy of the master key is kept; a copy that is given is compared',
        request: { body: { required: true, ...jsonContent('The copy', ConfirmMasterKey) } },
        responses: {
          200: jsonContent('The steps', SetupOverview),
          ...errorResponses(...REFUSALS, 422),
        },
      }),
      handler: async (c) => {
        await confirmMasterKey(deps, { ...c.req.valid('json'), caller: callerOf(c) });
        return c.json(await getSetup(deps), 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        ...TAGS,
        method: 'post',
        path: '/api/v1/setup/github',
        summary: 'Connect GitHub by a token',
        request: { body: { required: true, ...jsonContent('The token', ConnectGitHub) } },
        responses: {
          200: jsonContent('Connected', GitHubConnected),
          ...errorResponses(...REFUSALS, 409, 502),
        },
      }),
      handler: async (c) =>
        c.json(await connectGitHub(deps, { ...c.req.valid('json'), caller: callerOf(c) }), 200),
    }),
    defineOpenAPIRoute({
      route: createRoute({
        ...TAGS,
        method: 'post',
        path: '/api/v1/setup/provider',
        summary: 'Set the model provider once it has answered',
        request: { body: { required: true, ...jsonContent('The provider', ConnectProvider) } },
        responses: {
          200: jsonContent('Connected', ProviderConnected),
          ...errorResponses(...REFUSALS, 409, 502),
        },
      }),
      handler: async (c) =>
        c.json(await connectProvider(deps, { ...c.req.valid('json'), caller: callerOf(c) }), 200),
    }),
    defineOpenAPIRoute({
      route: createRoute({
        ...TAGS,
        method: 'post',
        path: '/api/v1/setup/test-issue',
        summary: 'Create an issue that tries the whole way to a pull request',
        request: { body: { required: true, ...jsonContent('Its words', CreateTestIssue) } },
        responses: {
          201: jsonContent('The issue', Issue),
          ...errorResponses(...REFUSALS, 409, 422),
        },
      }),
      handler: async (c) => {
        const input = { ...c.req.valid('json'), caller: callerOf(c) };
        const row = await createTestIssue(deps, input);
        return c.json(issueRecord(row, deps.service.publicOrigin), 201);
      },
    }),
  ] as const;
}
