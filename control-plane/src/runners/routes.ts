import { z } from '@hono/zod-openapi';
import { CreateJoinToken, JoinToken, RunnerList } from '@switchyard/shared/api/runner';
import { RecoveryReport } from '@switchyard/shared/api/recovery-report';
import type { Bound, Deps } from '../deps.ts';
import { liveAttempts } from '../attempts/queries.ts';
import type { RunnerRow } from '../db/schema/runners/runners.ts';
import { createJoinToken, JOIN_TOKEN_TTL_MS } from './admin/create-join-token.ts';
import { drainRunner, undrainRunner } from './admin/drain-runner.ts';
import { allRunners } from './queries.ts';
import type { revokeRunner } from './admin/revoke-runner.ts';
import { getRecovery } from './recovery/get-recovery.ts';
import { runnerRecord } from './runner-record.ts';
import { endpoint, json, nothing } from '../http/endpoint/endpoint.ts';

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

/** The list of runners, and the report on the last start. */
export function runnerRoutes(deps: Pick<Deps, 'db' | 'connections' | 'errors' | 'service'>) {
  return [
    endpoint({
      at: 'GET /api/v1/runners',
      summary: 'Runners with what they hold',
      answer: json(200, 'Runners', RunnerList),
      handler: async () => {
        const live = (await liveAttempts(deps.db)).filter((a) => a.released_at_ms === null);
        const rows = await allRunners(deps.db);
        const seen = await seenRunners(deps, rows);
        const runners = rows.map((row) => {
          const own = live.filter((a) => a.runner_id === row.runner_id);
          const lastSeenAtMs = seen?.get(row.runner_id) ?? null;
          return runnerRecord(row, {
            attemptIds: own.map((a) => a.attempt_id),
            lastSeenAtMs,
            isHolder: seen !== null,
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
  ] as const;
}

/** What people do to runners: let them join, drain them, revoke them. */
export function runnerAdminRoutes(
  deps: Pick<Deps, 'db' | 'clock' | 'ids' | 'connections' | 'wake'> & {
    revokeRunner: Bound<typeof revokeRunner>;
  },
) {
  return [
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
      handler: ({ params: { rid: runnerId }, caller }) => deps.revokeRunner({ runnerId, caller }),
    }),
  ] as const;
}
