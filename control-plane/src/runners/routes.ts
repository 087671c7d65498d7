import { z } from '@hono/zod-openapi';
import { CreateJoinToken, JoinToken, RunnerList } from '@switchyard/shared/api/runner';
import { RecoveryReport } from '@switchyard/shared/api/recovery-report';
import { JoinRequest, JoinResponse } from '@switchyard/shared/protocol/join';
import { ControlPlaneMessage } from '@switchyard/shared/protocol/messages';
import type { Deps } from '../deps.ts';
import { liveAttempts } from '../attempts/queries.ts';
import type { RunnerRow } from '../db/schema/runners/runners.ts';
import { createJoinToken, JOIN_TOKEN_TTL_MS } from './admin/create-join-token.ts';
import { drainRunner, undrainRunner } from './admin/drain-runner.ts';
import { joinRunner } from './admin/join-runner.ts';
import { allRunners } from './queries.ts';
import { readBlob } from './blobs/read-blob.ts';
import { revokeRunner } from './admin/revoke-runner.ts';
import { getRecovery } from './recovery/get-recovery.ts';
import { runnerGuards } from './runner-guards.ts';
import { runnerRecord } from './runner-record.ts';
import { createUploads, storeBlob } from './blobs/store-blob.ts';
import { streamOf } from '../http/answers/stream-of.ts';
import { endpoint, json, raw, nothing } from '../http/endpoint/endpoint.ts';
import { syncRunner } from './protocol/sync-runner.ts';

/**
 * Age up to which connection times are cached where querying them wakes the process that holds the
 * sockets.
 */
const SEEN_MAX_AGE_MS = 60_000;

const byRunner = z.object({ rid: z.string().max(64) });
const Ok = z.object({ ok: z.boolean() });

/**
 * When the connected runners were last seen. Null if another instance holds the connections, or
 * their holder does not answer; then only the rows are shown.
 */
async function seenRunners(
  { service, connections, errors }: Pick<Deps, 'service' | 'connections' | 'errors'>,
  rows: readonly RunnerRow[],
): Promise<ReadonlyMap<string, number> | null> {
  if (service.role !== 'active') return null;
  const ids = rows.filter((row) => row.connected).map((row) => row.runner_id);
  return connections.connected(ids, SEEN_MAX_AGE_MS).catch((error: unknown) => {
    errors.capture(error, { operation: 'which runners are connected' });
    return null;
  });
}

/** Runner routes for people: list, join tokens, drain, revoke, and the report on the last start. */
export function runnerRoutes(deps: Deps) {
  return [
    endpoint({
      at: 'GET /api/v1/runners',
      summary: 'Runners with what they hold',
      answer: json(200, 'Runners', RunnerList),
      handler: async () => {
        const live = (await liveAttempts(deps.db)).filter((a) => a.released_at_ms === null);
        const rows = await allRunners(deps.db);
        const heard = await seenRunners(deps, rows);
        const runners = rows.map((row) => {
          const mine = live.filter((a) => a.runner_id === row.runner_id);
          const lastSeenAtMs = heard?.get(row.runner_id) ?? null;
          return runnerRecord(row, {
            attemptIds: mine.map((a) => a.attempt_id),
            lastSeenAtMs,
            isHolder: heard !== null,
          });
        });
        return { runners, total: runners.length };
      },
    }),
    endpoint({
      at: 'GET /api/v1/recovery',
      summary: 'Report of the last start, attempt by attempt',
      answer: json(200, 'The report', RecoveryReport),
      handler: () => getRecovery(deps),
    }),
    endpoint({
      at: 'POST /api/v1/runners/tokens',
      summary: 'Make a one-time join token',
      body: CreateJoinToken,
      optionalBody: true,
      answer: json(201, 'The token, shown once', JoinToken),
      showsSecret: true,
      handler: ({ body: { labels = [], expiresInMs = JOIN_TOKEN_TTL_MS }, caller }) =>
        createJoinToken(deps, { labels, expiresInMs, caller }),
    }),
    endpoint({
      at: 'POST /api/v1/runners/{rid}/drain',
      summary: 'Offer nothing new to a runner',
      params: byRunner,
      answer: json(202, 'Draining', Ok),
      handler: async ({ params: { rid: runnerId }, caller }) => {
        await drainRunner(deps, { runnerId, caller });
        return { ok: true };
      },
    }),
    endpoint({
      at: 'POST /api/v1/runners/{rid}/undrain',
      summary: 'Offer to a drained runner again',
      params: byRunner,
      answer: json(202, 'No longer draining', Ok),
      refusals: { 409: 'The runner is not connected' },
      handler: async ({ params: { rid: runnerId }, caller }) => {
        await undrainRunner(deps, { runnerId, caller });
        return { ok: true };
      },
    }),
    endpoint({
      at: 'DELETE /api/v1/runners/{rid}',
      summary: 'Revoke a runner and cut its socket',
      params: byRunner,
      answer: nothing('Revoked'),
      handler: ({ params: { rid: runnerId }, caller }) => revokeRunner(deps, { runnerId, caller }),
    }),
  ] as const;
}

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

/**
 * Routes that runners use: join, the transport without a socket, and uploads. The platform serves
 * the socket.
 */
export function runnerProtocolRoutes(deps: Deps) {
  const guards = runnerGuards(deps);
  const uploads = createUploads();
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
        return { messages: await syncRunner(deps, { runner, session, messages, waitMs }) };
      },
    }),
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
