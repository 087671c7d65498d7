import { ModelList } from '@switchyard/shared/api/work/model';
import { EngineModels } from '@switchyard/shared/protocol/engine-operations';
import { askEngine, type EngineDeps } from '../engine/ask-engine.ts';
import { ENGINE_REFUSALS } from '../engine/pass-through.ts';
import { RunnerQuery } from '../engine/runner-query.ts';
import { json } from '../../http/endpoint/answer.ts';
import { endpoint } from '../../http/endpoint/endpoint.ts';
import { mergeModels } from './merge-models.ts';

/** Models of the configured provider. */
export function modelRoutes(deps: EngineDeps) {
  return [
    endpoint({
      at: 'GET /api/v1/models',
      summary: 'Models that agents can be given, the one in use first',
      query: RunnerQuery,
      answer: json(200, 'Models', ModelList),
      refusals: ENGINE_REFUSALS,
      handler: async ({ query: { runner } }) => {
        const found = await askEngine(deps, EngineModels, { operation: { op: 'models' }, runner });
        const { engine } = await deps.config.load();
        return { models: mergeModels(found, engine.model) };
      },
    }),
  ] as const;
}
