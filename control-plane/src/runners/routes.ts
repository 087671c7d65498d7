import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import { CreateJoinToken, JoinToken, RunnerList } from '@switchyard/shared/api/runner';
import { JoinRequest, JoinResponse } from '@switchyard/shared/protocol/join';
import { ControlPlaneMessage } from '@switchyard/shared/protocol/messages';
import type { Deps } from '../deps.ts';
import { liveAttempts } from '../attempts/queries.ts';
import { callerOf } from '../http/caller/caller.ts';
import { jsonContent } from '../json-content.ts';
import { createJoinToken, JOIN_TOKEN_TTL_MS } from './admin/create-join-token.ts';
import { drainRunner, undrainRunner } from './admin/drain-runner.ts';
import { joinRunner } from './admin/join-runner.ts';
import { allRunners } from './queries.ts';
import { readBlob } from './blobs/read-blob.ts';
import { revokeRunner } from './admin/revoke-runner.ts';
import { runnerGuards } from './runner-guards.ts';
import { runnerRecord } from './runner-record.ts';
import { createUploads, storeBlob } from './blobs/store-blob.ts';
import { syncRunner } from './protocol/sync-runner.ts';

function body<T extends z.ZodType>(schema: T) {
  return { body: { required: true, content: { 'application/json': { schema } } } };
}

const byRunner = z.object({ rid: z.string().max(64) });

/** Runners for people: list, join tokens, drain and revoke. */
export function runnerRoutes(deps: Deps) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/runners',
        summary: 'Runners with what they hold',
        responses: { 200: jsonContent('Runners', RunnerList) },
      }),
      handler: async (c) => {
        const live = await liveAttempts(deps.db);
        const rows = await allRunners(deps.db);
        const runners = rows.map((row) => {
          const mine = live.filter(
            (a) => a.runner_id === row.runner_id && a.released_at_ms === null,
          );
          return runnerRecord(
            row,
            mine.map((a) => a.attempt_id),
          );
        });
        return c.json({ runners, total: runners.length }, 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/runners/tokens',
        summary: 'Make a one-time join token',
        request: { body: { content: { 'application/json': { schema: CreateJoinToken } } } },
        responses: { 201: jsonContent('The token, shown once', JoinToken) },
      }),
      handler: async (c) => {
        const input = c.req.header('content-type') === undefined ? {} : c.req.valid('json');
        const token = await createJoinToken(deps, {
          labels: input.labels ?? [],
          expiresInMs: input.expiresInMs ?? JOIN_TOKEN_TTL_MS,
          caller: callerOf(c),
        });
        return c.json(token, 201);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/runners/{rid}/drain',
        summary: 'Offer nothing new to a runner',
        request: { params: byRunner },
        responses: { 202: jsonContent('Draining', z.object({ ok: z.boolean() })) },
      }),
      handler: async (c) => {
        await drainRunner(deps, { runnerId: c.req.valid('param').rid, caller: callerOf(c) });
        return c.json({ ok: true }, 202);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/runners/{rid}/undrain',
        summary: 'Offer to a drained runner again',
        request: { params: byRunner },
        responses: { 202: jsonContent('No longer draining', z.object({ ok: z.boolean() })) },
      }),
      handler: async (c) => {
        await undrainRunner(deps, { runnerId: c.req.valid('param').rid, caller: callerOf(c) });
        return c.json({ ok: true }, 202);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'delete',
        path: '/api/v1/runners/{rid}',
        summary: 'Revoke a runner and cut its socket',
        request: { params: byRunner },
        responses: { 204: { description: 'Revoked' } },
      }),
      handler: async (c) => {
        await revokeRunner(deps, { runnerId: c.req.valid('param').rid, caller: callerOf(c) });
        return c.body(null, 204);
      },
    }),
  ] as const;
}

const SyncRequest = z.object({
  /** From the `welcome` of an earlier call; absent on the first. */
  session: z.int().optional(),
  messages: z.array(z.unknown()).max(256),
  /** How long the answer may wait for something to say; 0 when absent, 15 s at most. */
  waitMs: z.int().min(0).optional(),
});

/** Runners for runners: join, the fallback transport and uploads. The socket is the platform's. */
export function runnerProtocolRoutes(deps: Deps) {
  const guards = runnerGuards(deps);
  const uploads = createUploads();
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/runners/join',
        summary: 'Join with a one-time token as bearer',
        middleware: [guards.onlyJoinTokens],
        request: body(JoinRequest),
        responses: { 201: jsonContent('The new identity', JoinResponse) },
      }),
      handler: async (c) => {
        const token = /^Bearer (\S{1,512})$/.exec(c.req.header('authorization') ?? '')?.[1] ?? '';
        const { requestId, path } = callerOf(c);
        const joined = await joinRunner(deps, {
          token,
          request: c.req.valid('json'),
          caller: { requestId, path },
        });
        return c.json(joined, 201);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/runners/sync',
        summary: 'The runner protocol over plain requests',
        middleware: [guards.onlyRunners],
        request: body(SyncRequest),
        responses: {
          200: jsonContent('Answers', z.object({ messages: z.array(ControlPlaneMessage) })),
        },
      }),
      handler: async (c) => {
        const { session = null, messages, waitMs = 0 } = c.req.valid('json');
        const runner = c.get('runner');
        const answers = await syncRunner(deps, { runner, session, messages, waitMs });
        return c.json({ messages: answers }, 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'put',
        path: '/api/v1/runners/blobs/{attemptId}/{epoch}/{name}',
        summary: 'Upload a payload of an attempt (bearer: its attempt token)',
        request: {
          params: z.object({
            attemptId: z.string().max(64),
            epoch: z.coerce.number().int().min(1),
            name: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/),
          }),
        },
        responses: { 201: jsonContent('Stored', z.object({ key: z.string(), bytes: z.int() })) },
      }),
      handler: async (c) => {
        const stored = await storeBlob(deps, {
          ...c.req.valid('param'),
          authorization: c.req.header('authorization'),
          request: c.req.raw,
          uploads,
        });
        return c.json(stored, 201);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/runners/blobs/{attemptId}/{epoch}',
        summary:
          'Read a payload of an earlier attempt of the same issue (bearer: the attempt token)',
        request: {
          params: z.object({
            attemptId: z.string().max(64),
            epoch: z.coerce.number().int().min(1),
          }),
          query: z.object({ key: z.string().max(256) }),
        },
        responses: {
          200: {
            description: 'The bytes',
            content: { 'application/octet-stream': { schema: z.string() } },
          },
        },
      }),
      handler: async (c) => {
        const bytes = await readBlob(deps, {
          ...c.req.valid('param'),
          ...c.req.valid('query'),
          authorization: c.req.header('authorization'),
        });
        return c.body(bytes as Uint8Array<ArrayBuffer>, 200, {
          'Content-Type': 'application/octet-stream',
        });
      },
    }),
  ] as const;
}
