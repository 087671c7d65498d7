import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import { sql } from 'drizzle-orm';
import { RefreshResponse, Runtime, State } from '@switchyard/shared/api/work/state';
import { requestRefresh } from '../../jobs/coordinator/request-refresh.ts';
import type { Deps } from '../../deps.ts';
import { callerOf } from '../../http/caller/caller.ts';
import { isUnchanged, UNCHANGED } from '../../http/is-unchanged.ts';
import { jsonContent } from '../../json-content.ts';
import { jsonBytes } from './json-bytes.ts';
import { createStateSnapshot } from './state-snapshot.ts';
import { stateVersion } from './state-version.ts';

const Health = z.object({ status: z.literal('ok') });

/** The service as a whole: state, runtime, refresh and health. */
export function serviceRoutes(deps: Deps) {
  const snapshot = createStateSnapshot(deps);
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/state',
        summary: 'Snapshot of issues and totals',
        responses: { 200: jsonContent('The snapshot', State), ...UNCHANGED },
      }),
      handler: async (c) => {
        const version = await stateVersion(deps);
        if (isUnchanged(c, version)) return c.body(null, 304);
        return jsonBytes<State>(c, await snapshot(version));
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/runtime',
        summary: 'Version, data directory and features',
        responses: { 200: jsonContent('The runtime', Runtime), ...UNCHANGED },
      }),
      handler: async (c) => {
        const config = await deps.config.load();
        const { version, dataDir, startedAtMs, instanceId, role, demo } = deps.service;
        // The uptime goes on by itself and makes no new version.
        const { name } = config.engine.provider;
        if (isUnchanged(c, `${version}-${instanceId}-${role}-${encodeURIComponent(name ?? '')}`)) {
          return c.body(null, 304);
        }
        return c.json(
          {
            version,
            data_dir: dataDir,
            feature_flags: demo === true ? { demo } : {},
            provider: name,
            uptime_seconds: (deps.clock.nowMs() - startedAtMs) / 1_000,
            instance: { id: instanceId, role },
          },
          200,
        );
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/refresh',
        summary: 'Look at the tracker now',
        responses: { 202: jsonContent('Accepted', RefreshResponse) },
      }),
      handler: async (c) => c.json(await requestRefresh(deps, callerOf(c)), 202),
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/healthz',
        summary: 'The process answers',
        responses: { 200: jsonContent('Alive', Health) },
      }),
      handler: (c) => c.json({ status: 'ok' as const }, 200),
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/readyz',
        summary: 'The database answers',
        responses: { 200: jsonContent('Ready', Health) },
      }),
      handler: async (c) => {
        await deps.db.get(sql`select 1`);
        return c.json({ status: 'ok' as const }, 200);
      },
    }),
  ] as const;
}
