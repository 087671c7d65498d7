import { z } from '@hono/zod-openapi';
import {
  EngineCapabilities,
  EngineDone,
  EngineFeatureList,
  EngineMcpLogin,
  EngineMcpServerList,
  EngineModeList,
} from '@switchyard/shared/api/engine';
import { ModelList } from '@switchyard/shared/api/work/model';
import { EngineModels } from '@switchyard/shared/protocol/engine-operations';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { mergeModels } from '../models/merge-models.ts';
import { engineSpec } from '../available-engines/configured-engines.ts';
import { askEngine, type EngineDeps } from './ask-engine.ts';
import { ENGINE_REFUSALS, passThrough } from './pass-through.ts';
import { PageQuery, EngineQuery } from './runner-query.ts';
import { strictNamedObject } from '@switchyard/shared/named-object';

const McpLogin = strictNamedObject(
  'McpLogin',
  { name: z.string().min(1).max(200) },
  'Which server',
);

/** Routes that describe the agent engine and its capabilities. */
export function engineRoutes(deps: EngineDeps) {
  const pass = passThrough(deps);
  return [
    pass({
      at: 'GET /api/v1/engine/capabilities',
      summary: 'Version, capabilities and feature flags of the agent engine',
      answer: ['Capabilities', EngineCapabilities],
      operation: () => ({ op: 'capabilities' }),
    }),
    pass({
      at: 'GET /api/v1/engine/features',
      summary: 'Feature flags of the agent engine',
      query: PageQuery,
      answer: ['A page of features', EngineFeatureList],
      operation: ({ query }) => ({ op: 'features', ...query }),
    }),
    pass({
      at: 'GET /api/v1/engine/collaboration-modes',
      summary: 'Ways of working together that the agent engine offers',
      answer: ['Modes', EngineModeList],
      operation: () => ({ op: 'modes' }),
    }),
    endpoint({
      at: 'GET /api/v1/models',
      summary: 'Models that agents can be given, the one in use first',
      query: EngineQuery,
      answer: json(200, 'Models', ModelList),
      refusals: ENGINE_REFUSALS,
      handler: async ({ query }) => {
        const operation = { op: 'models' } as const;
        const found = await askEngine(deps, EngineModels, { operation, ...query });
        const config = await deps.config.load();
        const { model } = engineSpec(config, query.engine);
        // During a trial the scripted model is the only one to choose.
        if (config.engine.trial)
          return { models: mergeModels({ data: [], provider: [model] }, model) };
        return { models: mergeModels(found, model) };
      },
    }),
    pass({
      at: 'GET /api/v1/engine/mcp',
      summary: 'MCP servers that are registered with the agent engine',
      query: PageQuery,
      answer: ['A page of servers', EngineMcpServerList],
      operation: ({ query }) => ({ op: 'mcp.list', ...query }),
    }),
    pass({
      at: 'POST /api/v1/engine/mcp/oauth/login',
      summary: 'Begin an OAuth login for an MCP server',
      body: McpLogin,
      answer: ['Where a person goes on', EngineMcpLogin],
      operation: ({ body }) => ({ op: 'mcp.login', ...body }),
    }),
    pass({
      at: 'POST /api/v1/engine/mcp/reload',
      summary: 'Read the configuration of the MCP servers again',
      answer: ['Done', EngineDone],
      operation: () => ({ op: 'mcp.reload' }),
    }),
  ] as const;
}
