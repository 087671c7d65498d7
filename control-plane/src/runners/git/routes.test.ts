import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CallRoute, createRouteApp } from '../../../../test/support/route-app.ts';
import { runnerRow } from '../../../../test/support/runner-row.ts';
import { createTestDatabase } from '../../../../test/support/test-database.ts';
import { createTestPorts, type TestPorts } from '../../../../test/support/test-ports.ts';
import { defaultConfig } from '../../config/schema/config-schema.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { gitRoutes } from './routes.ts';

const PATH = '/api/v1/git/context';
const SHOP = { prefix: 'SY-', url: 'file:///srv/shop.git' };
const DOCS = { label: 'docs', url: 'https://example.com/docs.git', default_branch: 'next' };

describe('GET /api/v1/git/context', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let ports: TestPorts;
  let call: CallRoute;
  let connected: Set<string>;
  let asked: string[];
  /** What runners know, by `runner url`. */
  let known: Map<string, unknown>;
  beforeEach(async () => {
    database = await createTestDatabase();
    ports = createTestPorts();
    connected = new Set(['run_a', 'run_b']);
    asked = [];
    known = new Map([
      ['run_b file:///srv/shop.git', context('main', ['main', 'switchyard/sy-1'], SHOP.url)],
      ['run_a https://example.com/docs.git', context('next', ['next'], DOCS.url)],
    ]);
    const deps = {
      ...ports,
      db: database.db,
      config: { load: async () => ({ ...defaultConfig(), repos: [SHOP, DOCS] }) },
      connections: {
        connected: async (ids: string[]) => new Set(ids.filter((id) => connected.has(id))),
        call: async (
          runnerId: string,
          _method: string,
          params: { repository: { url: string } },
        ) => {
          const question = `${runnerId} ${params.repository.url}`;
          asked.push(question);
          const value = known.get(question);
          if (value === undefined) throw new AppError('upstream_failed', 'no such repository here');
          return value;
        },
      },
    } as unknown as Deps;
    call = createRouteApp(ports.logger, gitRoutes(deps));
    await database.db.insert(runners).values(['run_a', 'run_b'].map(runnerRow));
  });
  afterEach(() => database.close());

  const context = (head: string, branches: string[], url: string) => ({
    head,
    branches,
    remotes: [url],
  });

  it('shows branches of every route, asked where the repository is', async () => {
    expect(await call('GET', PATH)).toMatchObject({
      status: 200,
      body: {
        branches: expect.arrayContaining([
          { name: 'main', repository: SHOP.url, isDefault: true },
          { name: 'switchyard/sy-1', repository: SHOP.url, isDefault: false },
          { name: 'next', repository: DOCS.url, isDefault: true },
        ]),
        remotes: expect.arrayContaining([{ name: 'origin', url: SHOP.url, runnerId: 'run_b' }]),
        routes: [
          { ...SHOP, head: 'main', reason: null },
          { ...DOCS, head: 'next', reason: null },
        ],
        reason: null,
        truncated: false,
      },
    });
    const before = asked.length;
    await call('GET', PATH);
    expect(asked).toHaveLength(before);
    ports.clock.advance(15_001);
    await call('GET', PATH);
    expect(asked.length).toBeGreaterThan(before);
  });

  it('shows the routes although a repository cannot be seen', async () => {
    known.delete('run_b file:///srv/shop.git');
    known.set('run_a https://example.com/docs.git', {
      ...context('next', ['next'], DOCS.url),
      stale: 'the remote did not answer in time',
    });
    expect(await call('GET', PATH)).toMatchObject({
      status: 200,
      body: {
        branches: [{ name: 'next' }],
        routes: [
          { url: SHOP.url, head: null, reason: 'no such repository here' },
          { url: DOCS.url, head: 'next', reason: 'the remote did not answer in time' },
        ],
      },
    });
  });

  it('says why nothing is seen without a runner, and looks again when one has come', async () => {
    connected.clear();
    expect(await call('GET', PATH)).toMatchObject({
      status: 200,
      body: {
        branches: [],
        remotes: [],
        routes: [{ head: null }, {}],
        reason: 'no runner is connected',
      },
    });
    connected.add('run_b');
    expect(await call('GET', PATH)).toMatchObject({
      body: { routes: [{ head: 'main' }, { head: null }], reason: null },
    });
  });
});
