import { createRoute, defineOpenAPIRoute } from '@hono/zod-openapi';
import { ModelList } from '@switchyard/shared/api/work/model';
import { EngineModels } from '@switchyard/shared/protocol/engine-operations';
import { askEngine, type EngineDeps } from '../engine/ask-engine.ts';
import { ENGINE_ERRORS, RunnerQuery } from '../engine/route-parts.ts';
import { jsonContent } from '../../json-content.ts';
import { errorResponses } from '../../http/error-responses.ts';
import { mergeModels } from './merge-models.ts';

/** Models of the configured provider. */
export function modelRoutes(deps: EngineDeps) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/models',
        summary: 'Models that agents can be given, the one in use first',
        request: { query: RunnerQuery },
        responses: { 200: jsonContent('Models', ModelList), ...errorResponses(...ENGINE_ERRORS) },
      }),
      handler: async (c) => {
        const { runner } = c.req.valid('query');
        const found = await askEngine(deps, EngineModels, { operation: { op: 'models' }, runner });
        const { engine } = await deps.config.load();
        return c.json({ models: mergeModels(found, engine.model) }, 200);
      },
    }),
  ] as const;
}
