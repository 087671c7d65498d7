import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import {
  EngineCapabilities,
  EngineDone,
  EngineFeatureList,
  EngineMcpLogin,
  EngineMcpServerList,
  EngineModeList,
} from '@switchyard/shared/api/engine';
import { callerOf } from '../../http/caller/caller.ts';
import { errorResponses } from '../../http/error-responses.ts';
import { jsonContent } from '../../json-content.ts';
import { askEngine, type EngineDeps } from './ask-engine.ts';
import { changeEngine } from './change-engine.ts';
import { ENGINE_ERRORS, PageQuery, RunnerQuery } from './route-parts.ts';

const McpLogin = z.strictObject({ name: z.string().min(1).max(200) }).meta({ id: 'McpLogin' });

/** What the agent engine is and can do. */
export function engineRoutes(deps: EngineDeps) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/engine/capabilities',
        summary: 'Version, capabilities and feature flags of the agent engine',
        request: { query: RunnerQuery },
        responses: {
          200: jsonContent('Capabilities', EngineCapabilities),
          ...errorResponses(...ENGINE_ERRORS),
        },
      }),
      handler: async (c) => {
        const { runner } = c.req.valid('query');
        const operation = { op: 'capabilities' } as const;
        return c.json(await askEngine(deps, EngineCapabilities, { operation, runner }), 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/engine/features',
        summary: 'Feature flags of the agent engine',
        request: { query: PageQuery },
        responses: {
          200: jsonContent('A page of features', EngineFeatureList),
          ...errorResponses(...ENGINE_ERRORS),
        },
      }),
      handler: async (c) => {
        const { runner, ...page } = c.req.valid('query');
        const operation = { op: 'features', ...page } as const;
        return c.json(await askEngine(deps, EngineFeatureList, { operation, runner }), 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/engine/collaboration-modes',
        summary: 'Ways of working together that the agent engine offers',
        request: { query: RunnerQuery },
        responses: {
          200: jsonContent('Modes', EngineModeList),
          ...errorResponses(...ENGINE_ERRORS),
        },
      }),
      handler: async (c) => {
        const { runner } = c.req.valid('query');
        const operation = { op: 'modes' } as const;
        return c.json(await askEngine(deps, EngineModeList, { operation, runner }), 200);
      },
    }),
    ...mcpRoutes(deps),
  ] as const;
}

function mcpRoutes(deps: EngineDeps) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/engine/mcp',
        summary: 'MCP servers that are registered with the agent engine',
        request: { query: PageQuery },
        responses: {
          200: jsonContent('A page of servers', EngineMcpServerList),
          ...errorResponses(...ENGINE_ERRORS),
        },
      }),
      handler: async (c) => {
        const { runner, ...page } = c.req.valid('query');
        const operation = { op: 'mcp.list', ...page } as const;
        return c.json(await askEngine(deps, EngineMcpServerList, { operation, runner }), 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/engine/mcp/oauth/login',
        summary: 'Begin an OAuth login for an MCP server',
        request: {
          query: RunnerQuery,
          body: { required: true, ...jsonContent('Which server', McpLogin) },
        },
        responses: {
          200: jsonContent('Where a person goes on', EngineMcpLogin),
          ...errorResponses(...ENGINE_ERRORS, 403, 413, 415),
        },
      }),
      handler: async (c) => {
        const { runner } = c.req.valid('query');
        const operation = { op: 'mcp.login', ...c.req.valid('json') } as const;
        const input = { operation, runner, caller: callerOf(c) };
        return c.json(await changeEngine(deps, EngineMcpLogin, input), 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/engine/mcp/reload',
        summary: 'Read the configuration of the MCP servers again',
        request: { query: RunnerQuery },
        responses: {
          200: jsonContent('Done', EngineDone),
          ...errorResponses(...ENGINE_ERRORS, 403),
        },
      }),
      handler: async (c) => {
        const { runner } = c.req.valid('query');
        const input = { operation: { op: 'mcp.reload' } as const, runner, caller: callerOf(c) };
        return c.json(await changeEngine(deps, EngineDone, input), 200);
      },
    }),
  ] as const;
}
