import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import {
  EngineDone,
  EngineLoadedThreads,
  EngineThreadAnswer,
  EngineThreadList,
  EngineUnsubscribed,
} from '@switchyard/shared/api/engine';
import { EngineId } from '@switchyard/shared/protocol/engine-operations';
import { callerOf } from '../../http/caller/caller.ts';
import { errorResponses } from '../../http/error-responses.ts';
import { jsonContent } from '../../json-content.ts';
import { askEngine, type EngineDeps } from './ask-engine.ts';
import { changeEngine } from './change-engine.ts';
import {
  ENGINE_ERRORS,
  PageQuery,
  RunnerQuery,
  ThreadParams,
  Words,
  wordsOf,
} from './route-parts.ts';

const YesNo = z.enum(['true', 'false']);
const ThreadsQuery = PageQuery.extend({
  sortKey: z.string().max(64).optional().describe('As the engine spells it: created_at, …'),
  archived: YesNo.optional().describe('Archived threads instead of the others.'),
  modelProviders: Words.describe('Only threads of these providers.'),
  sourceKinds: Words.describe('Only threads of these kinds.'),
});
const ReadQuery = RunnerQuery.extend({
  includeTurns: YesNo.optional().describe('With the history of turns.'),
});
const ForkThread = z.strictObject({ lastTurnId: EngineId.optional() }).meta({ id: 'ForkThread' });
const NameThread = z
  .strictObject({ name: z.string().trim().min(1).max(500) })
  .meta({ id: 'NameThread' });

/** Threads that agents worked on, and those they work on now. */
export function engineThreadRoutes(deps: EngineDeps) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/engine/threads',
        summary: 'Threads that a runner keeps',
        request: { query: ThreadsQuery },
        responses: {
          200: jsonContent('A page of threads', EngineThreadList),
          ...errorResponses(...ENGINE_ERRORS),
        },
      }),
      handler: async (c) => {
        const { runner, archived, modelProviders, sourceKinds, ...page } = c.req.valid('query');
        const operation = {
          ...{ op: 'threads.list' as const, ...page },
          ...(archived === undefined ? {} : { archived: archived === 'true' }),
          modelProviders: wordsOf(modelProviders),
          sourceKinds: wordsOf(sourceKinds),
        };
        return c.json(await askEngine(deps, EngineThreadList, { operation, runner }), 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/engine/threads/loaded',
        summary: 'Ids of the threads that are loaded, also by attempts',
        request: { query: RunnerQuery },
        responses: {
          200: jsonContent('Thread ids', EngineLoadedThreads),
          ...errorResponses(...ENGINE_ERRORS),
        },
      }),
      handler: async (c) => {
        const { runner } = c.req.valid('query');
        const operation = { op: 'threads.loaded' } as const;
        return c.json(await askEngine(deps, EngineLoadedThreads, { operation, runner }), 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/engine/threads/{threadId}',
        summary: 'One thread',
        request: { params: ThreadParams, query: ReadQuery },
        responses: {
          200: jsonContent('The thread', EngineThreadAnswer),
          ...errorResponses(...ENGINE_ERRORS),
        },
      }),
      handler: async (c) => {
        const { runner, includeTurns } = c.req.valid('query');
        const { threadId } = c.req.valid('param');
        const turns = { includeTurns: includeTurns === 'true' };
        const operation = { op: 'thread.read', threadId, ...turns } as const;
        return c.json(await askEngine(deps, EngineThreadAnswer, { operation, runner }), 200);
      },
    }),
    ...changeRoutes(deps),
  ] as const;
}

function changeRoutes(deps: EngineDeps) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/engine/threads/{threadId}/fork',
        summary: 'Begin a new thread with the history of this one',
        request: {
          ...{ params: ThreadParams, query: RunnerQuery },
          body: jsonContent('Up to which turn; left out: all', ForkThread),
        },
        responses: {
          200: jsonContent('The new thread', EngineThreadAnswer),
          ...errorResponses(...ENGINE_ERRORS, 403, 413, 415),
        },
      }),
      handler: async (c) => {
        const hasBody = c.req.header('content-type') !== undefined;
        const { lastTurnId } = hasBody ? c.req.valid('json') : {};
        const { threadId } = c.req.valid('param');
        const operation = { op: 'thread.fork', threadId, lastTurnId } as const;
        const { runner } = c.req.valid('query');
        const input = { operation, runner, caller: callerOf(c) };
        return c.json(await changeEngine(deps, EngineThreadAnswer, input), 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/engine/threads/{threadId}/name',
        summary: 'Rename a thread',
        request: {
          ...{ params: ThreadParams, query: RunnerQuery },
          body: { required: true, ...jsonContent('The name', NameThread) },
        },
        responses: {
          200: jsonContent('Done', EngineDone),
          ...errorResponses(...ENGINE_ERRORS, 403, 413, 415),
        },
      }),
      handler: async (c) => {
        const { threadId } = c.req.valid('param');
        const { name } = c.req.valid('json');
        const operation = { op: 'thread.name', threadId, name } as const;
        const { runner } = c.req.valid('query');
        const input = { operation, runner, caller: callerOf(c) };
        return c.json(await changeEngine(deps, EngineDone, input), 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/engine/threads/{threadId}/archive',
        summary: 'Archive a thread that no attempt works on',
        request: { params: ThreadParams, query: RunnerQuery },
        responses: {
          200: jsonContent('Done', EngineDone),
          ...errorResponses(...ENGINE_ERRORS, 403, 409),
        },
      }),
      handler: async (c) => {
        const { threadId } = c.req.valid('param');
        const operation = { op: 'thread.archive', threadId } as const;
        const { runner } = c.req.valid('query');
        const input = { operation, runner, caller: callerOf(c) };
        return c.json(await changeEngine(deps, EngineDone, input), 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/engine/threads/{threadId}/unarchive',
        summary: 'Take a thread out of the archive',
        request: { params: ThreadParams, query: RunnerQuery },
        responses: {
          200: jsonContent('The thread', EngineThreadAnswer),
          ...errorResponses(...ENGINE_ERRORS, 403, 409),
        },
      }),
      handler: async (c) => {
        const { threadId } = c.req.valid('param');
        const operation = { op: 'thread.unarchive', threadId } as const;
        const { runner } = c.req.valid('query');
        const input = { operation, runner, caller: callerOf(c) };
        return c.json(await changeEngine(deps, EngineThreadAnswer, input), 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/engine/threads/{threadId}/unsubscribe',
        summary: 'Stop following a thread that no attempt works on',
        request: { params: ThreadParams, query: RunnerQuery },
        responses: {
          200: jsonContent('What it was', EngineUnsubscribed),
          ...errorResponses(...ENGINE_ERRORS, 403, 409),
        },
      }),
      handler: async (c) => {
        const { threadId } = c.req.valid('param');
        const operation = { op: 'thread.unsubscribe', threadId } as const;
        const { runner } = c.req.valid('query');
        const input = { operation, runner, caller: callerOf(c) };
        return c.json(await changeEngine(deps, EngineUnsubscribed, input), 200);
      },
    }),
  ] as const;
}
