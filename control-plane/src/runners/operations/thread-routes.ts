import { z } from '@hono/zod-openapi';
import {
  EngineDone,
  EngineLoadedThreads,
  EngineThreadAnswer,
  EngineThreadList,
  EngineUnsubscribed,
} from '@switchyard/shared/api/engine';
import { EngineId } from '@switchyard/shared/protocol/engine-operations';
import type { EngineDeps } from './ask-engine.ts';
import { passThrough } from './pass-through.ts';
import { PageQuery, EngineQuery, ThreadParams, NameList, namesOf } from './runner-query.ts';
import { strictNamedObject } from '@switchyard/shared/named-object';

const IN_USE = { 409: 'An attempt works on the thread' };

const YesNo = z.enum(['true', 'false']);
const ThreadsQuery = PageQuery.extend({
  sortKey: z.string().max(64).optional().describe('As the engine spells it: created_at, …'),
  archived: YesNo.optional().describe('Archived threads instead of the others.'),
  modelProviders: NameList.describe('Only threads of these providers.'),
  sourceKinds: NameList.describe('Only threads of these kinds.'),
});
const ReadQuery = EngineQuery.extend({
  includeTurns: YesNo.optional().describe('With the history of turns.'),
});
const ForkThread = strictNamedObject(
  'ForkThread',
  { lastTurnId: EngineId.optional() },
  'Up to which turn; left out: all',
);
const NameThread = strictNamedObject(
  'NameThread',
  { name: z.string().trim().min(1).max(500) },
  'The name',
);

/** Routes of the threads on which agents work or have worked. */
export function engineThreadRoutes(deps: EngineDeps) {
  return [...readRoutes(deps), ...changeRoutes(deps)] as const;
}

function readRoutes(deps: EngineDeps) {
  const pass = passThrough(deps);
  return [
    pass({
      at: 'GET /api/v1/engine/threads',
      summary: 'Threads that a runner keeps',
      query: ThreadsQuery,
      answer: ['A page of threads', EngineThreadList],
      operation: ({ query: { archived, modelProviders, sourceKinds, ...page } }) => ({
        op: 'threads.list',
        ...page,
        ...(archived === undefined ? {} : { archived: archived === 'true' }),
        modelProviders: namesOf(modelProviders),
        sourceKinds: namesOf(sourceKinds),
      }),
    }),
    pass({
      at: 'GET /api/v1/engine/threads/loaded',
      summary: 'Ids of the threads that are loaded, also by attempts',
      answer: ['Thread ids', EngineLoadedThreads],
      operation: () => ({ op: 'threads.loaded' }),
    }),
    pass({
      at: 'GET /api/v1/engine/threads/{threadId}',
      summary: 'One thread',
      params: ThreadParams,
      query: ReadQuery,
      answer: ['The thread', EngineThreadAnswer],
      operation: ({ params, query }) => ({
        op: 'thread.read',
        ...params,
        includeTurns: query.includeTurns === 'true',
      }),
    }),
  ] as const;
}

function changeRoutes(deps: EngineDeps) {
  const pass = passThrough(deps);
  return [
    pass({
      at: 'POST /api/v1/engine/threads/{threadId}/fork',
      summary: 'Begin a new thread with the history of this one',
      params: ThreadParams,
      body: ForkThread,
      optionalBody: true,
      answer: ['The new thread', EngineThreadAnswer],
      operation: ({ params, body }) => ({ op: 'thread.fork', ...params, ...body }),
    }),
    pass({
      at: 'POST /api/v1/engine/threads/{threadId}/name',
      summary: 'Rename a thread',
      params: ThreadParams,
      body: NameThread,
      answer: ['Done', EngineDone],
      operation: ({ params, body }) => ({ op: 'thread.name', ...params, ...body }),
    }),
    pass({
      at: 'POST /api/v1/engine/threads/{threadId}/archive',
      summary: 'Archive a thread that no attempt works on',
      params: ThreadParams,
      answer: ['Done', EngineDone],
      refusals: IN_USE,
      operation: ({ params }) => ({ op: 'thread.archive', ...params }),
    }),
    pass({
      at: 'POST /api/v1/engine/threads/{threadId}/unarchive',
      summary: 'Take a thread out of the archive',
      params: ThreadParams,
      answer: ['The thread', EngineThreadAnswer],
      refusals: IN_USE,
      operation: ({ params }) => ({ op: 'thread.unarchive', ...params }),
    }),
    pass({
      at: 'POST /api/v1/engine/threads/{threadId}/unsubscribe',
      summary: 'Stop following a thread that no attempt works on',
      params: ThreadParams,
      answer: ['What it was', EngineUnsubscribed],
      refusals: IN_USE,
      operation: ({ params }) => ({ op: 'thread.unsubscribe', ...params }),
    }),
  ] as const;
}
