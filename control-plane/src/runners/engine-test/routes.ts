import { z } from '@hono/zod-openapi';
import { EngineTest, TestEngine } from '@switchyard/shared/api/engines';
import { EngineName } from '@switchyard/shared/engine/runner-engine';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import type { EngineDeps } from '../operations/ask-engine.ts';
import { testEngine } from './test-engine.ts';

/** Routes that test an agent engine. */
export function engineTestRoutes(deps: EngineDeps) {
  return [
    endpoint({
      at: 'POST /api/v1/engines/{name}/test',
      summary: 'Have an engine answer one small question, as an attempt would start it',
      description:
        'Runs in a container of its own, without a repository, with the configured account; costs the tokens of one turn. A turn that fails is an answer with `failure`.',
      params: z.object({ name: EngineName }),
      body: TestEngine,
      optionalBody: true,
      answer: json(200, 'How it went', EngineTest),
      refusals: {
        404: 'No such engine, choice or runner',
        409: 'No provider is configured that the engine could ask',
        501: 'The runner is of a version that tests no engines',
        503: 'No connected runner has the engine',
      },
      handler: ({ params: { name: engine }, body, caller }) =>
        testEngine(deps, { engine, ...body, caller }),
    }),
  ] as const;
}
