import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SandboxImage } from '@switchyard/shared/sandbox/sandbox-image';
import { type CallRoute, createRouteApp } from '../../../../test/support/route-app.ts';
import { runnerRow } from '../../../../test/support/runner-row.ts';
import { createTestDatabase } from '../../../../test/support/test-database.ts';
import { createTestPorts } from '../../../../test/support/test-ports.ts';
import { audit } from '../../db/schema/operation/audit.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { imageRoutes } from './routes.ts';

const MISSING: SandboxImage = {
  state: 'missing',
  image: 'switchyard-sandbox:1',
  source: 'build',
  baseImage: 'debian:bookworm-slim',
  step: null,
  percent: null,
  problem: null,
};

describe('the sandbox image of a runner', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let call: CallRoute;
  let asked: unknown[];
  beforeEach(async () => {
    database = await createTestDatabase();
    const ports = createTestPorts();
    asked = [];
    const deps = {
      ...ports,
      db: database.db,
      connections: {
        connected: async (ids: string[]) => new Set(ids.filter((id) => id !== 'run_b')),
        call: async (
          runnerId: string,
          method: string,
          params: { provide: boolean; baseImage?: string },
        ) => {
          asked.push([runnerId, method, params]);
          if (params.baseImage === 'foreign:1')
            throw new AppError('upstream_failed', 'not that one', { reason: 'BASE_REFUSED' });
          if (runnerId === 'run_d') return { ...MISSING, baseImage: undefined };
          if (runnerId === 'run_c')
            throw new AppError('upstream_failed', 'no', { reason: 'UNSUPPORTED' });
          return params.provide ? { ...MISSING, state: 'providing', step: 'beginning' } : MISSING;
        },
      },
    } as unknown as Deps;
    call = createRouteApp(ports.logger, imageRoutes(deps));
    await database.db.insert(runners).values(['run_a', 'run_b', 'run_c', 'run_d'].map(runnerRow));
  });
  afterEach(() => database.close());
  const path = (runnerId: string) => `/api/v1/runners/${runnerId}/sandbox-image`;
  const audited = () => database.db.select().from(audit);

  it('is told without a trace, and a build is audited', async () => {
    expect(await call('GET', path('run_a'))).toMatchObject({ status: 200, body: MISSING });
    expect(await audited()).toEqual([]);
    const answer = await call('POST', path('run_a'), {});
    expect(answer).toMatchObject({ status: 202, body: { state: 'providing' } });
    expect(asked.at(-1)).toEqual(['run_a', 'sandbox.image', { provide: true }]);
    expect(await audited()).toMatchObject([
      {
        operation: 'runner.provide_image',
        subject: 'run_a',
        details: { image: MISSING.image, source: 'build', state: 'providing' },
      },
    ]);
  });

  it('is built on a base that is named, where the runner knows and allows it', async () => {
    const base = { baseImage: 'registry.test:5000/team/debian:12' };
    expect(await call('POST', path('run_a'), base)).toMatchObject({ status: 202 });
    expect(asked.at(-1)).toEqual(['run_a', 'sandbox.image', { provide: true, ...base }]);
    expect(await audited()).toMatchObject([{ details: base }]);
    expect(await call('POST', path('run_a'), { baseImage: 'foreign:1' })).toMatchObject({
      status: 409,
      body: { error: 'not that one' },
    });
    // One of an earlier version would build on another without a word.
    expect(await call('POST', path('run_d'), base)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('update it') },
    });
    expect(asked.at(-1)).toEqual(['run_d', 'sandbox.image', { provide: false }]);
    expect(await call('POST', path('run_d'), {})).toMatchObject({ status: 202 });
    for (const baseImage of ['', 'debian\nRUN id', '--privileged', 'x'.repeat(256)])
      expect(await call('POST', path('run_a'), { baseImage }), baseImage).toMatchObject({
        status: 400,
      });
    expect(await audited()).toHaveLength(2);
  });

  it('refuses what cannot be asked, and audits nothing then', async () => {
    expect(await call('POST', path('run_x'), {})).toMatchObject({ status: 404 });
    expect(await call('POST', path('run_b'), {})).toMatchObject({ status: 503 });
    const old = await call('POST', path('run_c'), {});
    expect(old).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('update it') },
    });
    expect(await audited()).toEqual([]);
  });
});
