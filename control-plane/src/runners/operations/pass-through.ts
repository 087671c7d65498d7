import type { z } from '@hono/zod-openapi';
import type { EngineOperation } from '@switchyard/shared/protocol/engine-operations';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import type { Refusals } from '../../http/endpoint/refusals.ts';
import { askEngine, type EngineDeps } from './ask-engine.ts';
import { changeEngine } from './change-engine.ts';
import { EngineQuery } from './runner-query.ts';

/** The possible error responses of an engine operation. */
export const ENGINE_REFUSALS = {
  404: 'No such runner or thread',
  501: 'The agent engine does not support it, or answers no operators',
  502: 'The agent engine refused it or answered something unexpected',
  503: 'No agent engine is in reach, or too many ask already',
};

/**
 * Creates routes that pass an operation on to an engine, each defined by its request and response.
 * Operations that change something are written to the audit log.
 */
export function passThrough(deps: EngineDeps) {
  return function pass<
    const At extends `${'GET' | 'POST'} /${string}`,
    Gives extends z.ZodType,
    Params extends z.ZodType = never,
    Query extends typeof EngineQuery = typeof EngineQuery,
    Body extends z.ZodType = never,
  >(row: {
    at: At;
    summary: string;
    params?: Params;
    query?: Query;
    body?: Body;
    optionalBody?: true;
    answer: readonly [description: string, schema: Gives];
    refusals?: Refusals;
    operation: (given: {
      params: z.output<Params>;
      query: Omit<z.output<Query>, 'runner' | 'engine'>;
      body: z.output<Body>;
    }) => EngineOperation;
  }) {
    const { answer, operation, query = EngineQuery as Query, refusals, ...shape } = row;
    const [description, schema] = answer;
    return endpoint<At, ReturnType<typeof json<200, Gives>>, Params, Query, never, Body>({
      ...shape,
      query,
      answer: json(200, description, schema),
      refusals: { ...ENGINE_REFUSALS, ...refusals },
      handler: async (given) => {
        const { runner, engine, ...rest } = given.query;
        const input = { runner, engine, operation: operation({ ...given, query: rest }) };
        return row.at.startsWith('GET')
          ? askEngine(deps, schema, input)
          : changeEngine(deps, schema, { ...input, caller: given.caller });
      },
    });
  };
}
