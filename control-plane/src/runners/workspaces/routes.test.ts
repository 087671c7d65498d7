import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallValue } from '@switchyard/shared/protocol/calls';
import { type CallRoute, createRouteApp } from '../../../../test/support/route-app.ts';
import { runnerRow } from '../../../../test/support/runner-row.ts';
import { createTestDatabase } from '../../../../test/support/test-database.ts';
import { createTestPorts, type TestPorts } from '../../../../test/support/test-ports.ts';
import { createConfigStore } from '../../config/create-config-store.ts';
import { audit } from '../../db/schema/operation/audit.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { workspaceRoutes } from './routes.ts';

type Reported = CallValue<'workspaces.list'>['workspaces'];
const PATH = '/api/v1/workspaces';
const MEGABYTE = 1_048_576;

const reported = (key: string, { inUse = false } = {}): Reported[number] => ({
  key,
  path: `/work/${key}`,
  identifier: key,
  diskBytes: MEGABYTE,
  complete: true,
  lastModifiedAtMs: 5,
  inUse,
});

describe('workspaces', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let ports: TestPorts;
  let call: CallRoute;
  /** By runner; null: it does not answer. Absent: it is not connected. */
  let hosts: Map<string, Reported | null>;
  let removals: unknown[];
  let remove: () => Promise<{ removed: boolean }>;
  beforeEach(async () => {
    database = await createTestDatabase();
    ports = createTestPorts();
    hosts = new Map();
    removals = [];
    remove = async () => ({ removed: true });
    const variables = { SERVICE_CONFIG__hooks__beforeRemove: 'make clean' };
    const deps = {
      ...ports,
      db: database.db,
      config: createConfigStore({ db: database.db, variables, baseFile: null }),
      service: { role: 'active' },
      connections: {
        connected: async (ids: string[]) => new Set(ids.filter((id) => hosts.has(id))),
        call: async (runnerId: string, method: string, params: unknown) => {
          if (method === 'workspace.remove') {
            removals.push({ runnerId, params });
            return remove();
          }
          const workspaces = hosts.get(runnerId) ?? null;
          if (workspaces === null) throw new AppError('upstream_failed', 'it did not answer');
          return { workspaces };
        },
      },
    } as unknown as Deps;
    call = createRouteApp(ports.logger, workspaceRoutes(deps));
    await database.db.insert(runners).values(['run_a', 'run_b'].map(runnerRow));
  });
  afterEach(() => database.close());

  const list = async (query = '') => {
    ports.clock.advance(10_000);
    return (await call('GET', PATH + query)).body as {
      workspaces: Record<string, unknown>[];
      total: number;
    };
  };

  it('lists what runners have, and remembers those that are offline', async () => {
    hosts.set('run_a', [reported('SY-2'), reported('SY-1', { inUse: true })]);
    hosts.set('run_b', [reported('SY-3')]);
    expect(await list()).toEqual({
      workspaces: [
        {
          key: 'SY-1',
          runnerId: 'run_a',
          path: '/work/SY-1',
          status: 'in_use',
          issue: 'SY-1',
          diskBytes: MEGABYTE,
          diskComplete: true,
          lastModifiedAt: '1970-01-01T00:00:00.005Z',
          reportedAt: expect.stringMatching(/^2026/),
        },
        expect.objectContaining({ key: 'SY-2', status: 'idle' }),
        expect.objectContaining({ key: 'SY-3', runnerId: 'run_b', status: 'idle' }),
      ],
      total: 3,
      totalDiskBytes: 3 * MEGABYTE,
      unavailable: [],
    });
    hosts.set('run_a', [reported('SY-2')]);
    hosts.delete('run_b');
    expect(await list()).toMatchObject({
      workspaces: [
        { key: 'SY-2', status: 'idle' },
        { key: 'SY-3', status: 'offline' },
      ],
      total: 2,
      unavailable: [{ runnerId: 'run_b', reason: 'the runner is not connected' }],
    });
    hosts.set('run_a', null);
    expect(await list()).toMatchObject({
      total: 2,
      unavailable: expect.arrayContaining([{ runnerId: 'run_a', reason: 'it did not answer' }]),
    });
    await database.db.update(runners).set({ revoked_at_ms: 1 });
    expect(await list()).toMatchObject({ total: 0, unavailable: [] });
  });

  it('answers in pages, and for one runner', async () => {
    hosts.set('run_a', [reported('SY-1'), reported('SY-2')]);
    hosts.set('run_b', [reported('SY-1')]);
    const page = await list('?limit=1&offset=1');
    expect(page).toMatchObject({ total: 3, workspaces: [{ key: 'SY-1', runnerId: 'run_b' }] });
    expect(await list('?runner=run_b')).toMatchObject({
      total: 1,
      workspaces: [{ runnerId: 'run_b' }],
    });
    for (const query of ['?limit=0', '?limit=501', '?offset=-1', '?runner='])
      expect(await call('GET', PATH + query)).toMatchObject({ status: 400 });
  });

  it('removes one, with the script of the configuration', async () => {
    hosts.set('run_a', [reported('SY-1')]);
    expect(await call('DELETE', `${PATH}/SY-1`)).toMatchObject({ status: 204, body: '' });
    expect(removals).toEqual([
      {
        runnerId: 'run_a',
        params: { key: 'SY-1', beforeRemove: 'make clean', timeoutMs: 60_000 },
      },
    ]);
    const rows = await database.db.select().from(audit);
    expect(rows).toMatchObject([
      { operation: 'workspace.remove', subject: 'SY-1', details: { runnerId: 'run_a' } },
    ]);
    hosts.set('run_a', []);
    expect(await call('DELETE', `${PATH}/SY-1`)).toMatchObject({ status: 404 });
  });

  it('keeps one that is in use, and asks which one is meant', async () => {
    hosts.set('run_a', [reported('SY-1', { inUse: true })]);
    hosts.set('run_b', [reported('SY-1')]);
    expect(await call('DELETE', `${PATH}/SY-1`)).toMatchObject({
      status: 409,
      body: { code: 'ambiguous', error: expect.stringContaining('run_a, run_b') },
    });
    remove = () =>
      Promise.reject(new AppError('upstream_failed', 'it is used', { reason: 'in_use' }));
    expect(await call('DELETE', `${PATH}/SY-1?runner=run_a`)).toMatchObject({
      status: 409,
      body: { code: 'in_use' },
    });
    remove = async () => ({ removed: true });
    expect(await call('DELETE', `${PATH}/SY-1?runner=run_b`)).toMatchObject({ status: 204 });
  });

  it('cannot remove one on a runner that is away, nor one that is gone', async () => {
    hosts.set('run_a', [reported('SY-1'), reported('SY-2')]);
    await list();
    remove = async () => ({ removed: false });
    expect(await call('DELETE', `${PATH}/SY-2`)).toMatchObject({ status: 404 });
    hosts.delete('run_a');
    expect(await call('DELETE', `${PATH}/SY-1`)).toMatchObject({ status: 503 });
    expect(await database.db.select().from(audit)).toEqual([]);
  });
});
