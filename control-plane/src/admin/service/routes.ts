import { SCRIPTED_PROVIDER } from '@switchyard/shared/model-providers/scripted-model';
import { z } from '@hono/zod-openapi';
import { sql } from 'drizzle-orm';
import { RefreshResponse, Runtime, State } from '@switchyard/shared/api/work/state';
import { requestRefresh } from '../../coordinator/request-refresh.ts';
import { requireWrites } from '../../db/server/server-writer.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { isUnchanged } from '../../http/is-unchanged.ts';
import { createStateSnapshot } from './state-snapshot.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { sendReadyJson } from '../../http/send-json.ts';
import { createStateVersion } from './state-version.ts';

/** Query for load balancers that send requests to the leading instance. */
const ReadyQuery = z.object({ leads: z.enum(['true', 'false']).optional() });
const Health = z.object({ status: z.literal('ok') });
const Readiness = Health.extend({
  last_write_at: z.iso
    .datetime()
    .optional()
    .describe('When a write was last stored; left out where the database is a file'),
});

/** Routes of the service as a whole: state, runtime and refresh. */
export function serviceRoutes(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'service' | 'redactor' | 'wake'>,
) {
  const snapshot = createStateSnapshot(deps);
  const stateVersion = createStateVersion(deps);
  return [
    endpoint({
      at: 'GET /api/v1/state',
      summary: 'Snapshot of issues and totals',
      answer: json(200, 'The snapshot', State),
      handler: async ({ c }) => {
        const version = await stateVersion();
        if (isUnchanged(c, version)) return c.body(null, 304);
        return sendReadyJson(c, await snapshot(version));
      },
    }),
    endpoint({
      at: 'GET /api/v1/runtime',
      summary: 'Version, data directory and features',
      answer: json(200, 'The runtime', Runtime),
      handler: async ({ c }) => {
        const config = await deps.config.load();
        const { version, dataDir, startedAtMs, instanceId, role, demo, checkout } = deps.service;
        const flags: Record<string, boolean> = {
          ...(demo === true ? { demo } : {}),
          ...(checkout === true ? { checkout } : {}),
          ...(config.engine.trial ? { trial: true } : {}),
        };
        // The uptime itself is not part of the version, but the start time is.
        const { provider, trial } = config.engine;
        const name = trial ? SCRIPTED_PROVIDER : provider.name;
        const tag = [version, instanceId, role, startedAtMs, trial, encodeURIComponent(name)];
        if (isUnchanged(c, tag.join('-'))) return c.body(null, 304);
        return {
          version,
          data_dir: dataDir,
          feature_flags: flags,
          provider: name,
          uptime_seconds: (deps.clock.nowMs() - startedAtMs) / 1_000,
          started_at: new Date(startedAtMs).toISOString(),
          instance: { id: instanceId, role },
        };
      },
    }),
    endpoint({
      at: 'POST /api/v1/refresh',
      summary: 'Look at the tracker now',
      answer: json(202, 'Accepted', RefreshResponse),
      handler: ({ caller }) => requestRefresh(deps, caller),
    }),
  ] as const;
}

/** Routes by which a load balancer or a supervisor probes the service. */
export function probeRoutes(deps: Pick<Deps, 'db' | 'service' | 'writes'>) {
  return [
    endpoint({
      at: 'GET /healthz',
      summary: 'The process answers',
      answer: json(200, 'Alive', Health),
      handler: () => ({ status: 'ok' as const }),
    }),
    endpoint({
      at: 'GET /readyz',
      summary: 'The database stores what is written; with leads=true also: this instance decides',
      query: ReadyQuery,
      answer: json(200, 'Ready', Readiness),
      refusals: { 503: 'It was asked whether this instance leads, and another one does' },
      handler: async ({ query: { leads } }) => {
        await deps.db.get(sql`select 1`);
        if (leads === 'true' && deps.service.role !== 'active') {
          throw new AppError('unavailable', 'another instance leads', { reason: 'standby' });
        }
        // Reads can work while writes hang, so a write is checked as well.
        const writtenAtMs = deps.writes === undefined ? null : await requireWrites(deps.writes);
        return {
          status: 'ok' as const,
          ...(writtenAtMs === null ? {} : { last_write_at: new Date(writtenAtMs).toISOString() }),
        };
      },
    }),
  ] as const;
}
