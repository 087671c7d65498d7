import { z } from '@hono/zod-openapi';
import { JoinRequest, JoinResponse } from '@switchyard/shared/protocol/join';
import { ControlPlaneMessage } from '@switchyard/shared/protocol/messages';
import type { Bound, Deps } from '../deps.ts';
import { joinRunner } from './admin/join-runner.ts';
import { readBlob } from './blobs/read-blob.ts';
import { runnerGuards } from './runner-guards.ts';
import { createUploads, storeBlob } from './blobs/store-blob.ts';
import { streamOf } from '../http/answers/stream-of.ts';
import { endpoint, json, raw } from '../http/endpoint/endpoint.ts';
import type { syncRunner } from './protocol/sync-runner.ts';

const SyncRequest = z.object({
  /** Session number from an earlier `welcome`; absent on the first call. */
  session: z.int().optional(),
  messages: z.array(z.unknown()).max(256),
  /**
   * How long the response may wait for messages to the runner, milliseconds; 0 when absent, 15 s at
   * most.
   */
  waitMs: z.int().min(0).optional(),
});
const ByLease = z.object({
  attemptId: z.string().max(64),
  epoch: z.coerce.number().int().min(1),
});

/** Routes by which runners join and, without a socket, speak; the platform serves the socket. */
export function runnerProtocolRoutes(
  deps: Pick<Deps, 'db' | 'clock' | 'ids' | 'service'> & { syncRunner: Bound<typeof syncRunner> },
) {
  const guards = runnerGuards(deps);
  return [
    endpoint({
      at: 'POST /api/v1/runners/join',
      summary: 'Join with a one-time token as bearer',
      guards: [guards.onlyJoinTokens],
      body: JoinRequest,
      answer: json(201, 'The new identity', JoinResponse),
      handler: ({ c, body: request, caller: { requestId, path } }) => {
        const token = /^Bearer (\S{1,512})$/.exec(c.req.header('authorization') ?? '')?.[1] ?? '';
        return joinRunner(deps, { token, request, caller: { requestId, path } });
      },
    }),
    endpoint({
      at: 'POST /api/v1/runners/sync',
      summary: 'The runner protocol over plain requests',
      guards: [guards.onlyRunners],
      body: SyncRequest,
      answer: json(200, 'Answers', z.object({ messages: z.array(ControlPlaneMessage) })),
      handler: async ({ c, body: { session = null, messages, waitMs = 0 } }) => {
        const runner = c.get('runner');
        return { messages: await deps.syncRunner({ runner, session, messages, waitMs }) };
      },
    }),
  ] as const;
}

/** Uploads and downloads of attempts' payloads. */
export function blobRoutes(deps: Pick<Deps, 'db' | 'clock' | 'blobs' | 'service'>) {
  const uploads = createUploads();
  return [
    endpoint({
      at: 'PUT /api/v1/runners/blobs/{attemptId}/{epoch}/{name}',
      summary: 'Upload a payload of an attempt (bearer: its attempt token)',
      params: ByLease.extend({ name: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/) }),
      answer: json(201, 'Stored', z.object({ key: z.string(), bytes: z.int() })),
      refusals: { 413: 'The payload, or what the attempt keeps by now, is too large' },
      handler: ({ c, params }) => {
        const authorization = c.req.header('authorization');
        return storeBlob(deps, { ...params, authorization, request: c.req.raw, uploads });
      },
    }),
    endpoint({
      at: 'GET /api/v1/runners/blobs/{attemptId}/{epoch}',
      summary: 'Read a payload of an earlier attempt of the same issue (bearer: the attempt token)',
      params: ByLease,
      query: z.object({ key: z.string().max(256) }),
      answer: raw('application/octet-stream', 'The bytes'),
      handler: async ({ c, params, query }) => {
        const authorization = c.req.header('authorization');
        const pieces = await readBlob(deps, { ...params, ...query, authorization });
        return c.body(streamOf(pieces), 200, { 'Content-Type': 'application/octet-stream' });
      },
    }),
  ] as const;
}
