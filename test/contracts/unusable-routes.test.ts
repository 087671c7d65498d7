import { afterEach, describe, expect, it } from 'vitest';
import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { readBaseFile } from '../../control-plane/src/config/base-file.ts';
import { createConfigStore } from '../../control-plane/src/config/create-config-store.ts';
import { writeOverlayStatement } from '../../control-plane/src/config/queries.ts';
import { checkCodeHosts } from '../../control-plane/src/admin/setup/repositories/check-code-hosts.ts';
import { validateConfig } from '../../control-plane/cli/commands/validate-config.ts';
import type { CoreWorld } from '../support/core/core-world.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import {
  createPullRequestWorld,
  type PullRequestWorld,
} from '../support/github/pull-request-world.ts';
import { createTestDatabase } from '../support/test-database.ts';

const SHOP = 'https://git.example/shop.git';
const ROUTES: RepoRoute[] = [
  { prefix: 'SY-', url: SHOP },
  { prefix: 'sy-', url: 'https://git.example/docs.git' },
  { label: 'next', url: SHOP, default_branch: 'a..b' },
];
const make = useCoreWorlds();

async function ask(world: CoreWorld, method: string, path: string, body?: object) {
  const headers = { Host: 'localhost', 'Content-Type': 'application/json' };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const local = { remoteAddress: '127.0.0.1' };
  return (await world.core.app.request(`/api/v1${path}`, init, local)).json();
}

describe('routes that no work can go by', () => {
  it('are named by the set-up check of repositories, whether or not a runner is there', async () => {
    const world = await make();
    const { db, clock, config } = world.deps;
    await db.batch([writeOverlayStatement(db, clock.nowMs(), 0, { repos: ROUTES })]);
    config.expire();
    const body: unknown = await ask(world, 'POST', '/setup/check', { step: 'repository' });
    expect(body).toMatchObject({
      ok: false,
      message: expect.stringContaining('repos.1.prefix: "sy-" leads to https://git.example/shop'),
    });
    expect(JSON.stringify(body)).toContain('repos.2.default_branch');
    const observed: unknown = await ask(world, 'GET', '/observability');
    expect(JSON.stringify(observed)).toContain('repos.1.prefix');
  });

  it('are named by doctor before a start', () => {
    const text = `repos: ${JSON.stringify(ROUTES)}`;
    const file = { name: 'switchyard.yaml', format: 'yaml', text } as const;
    const found = validateConfig(file, {});
    expect(found.map(({ path }) => path)).toEqual(['repos.1.prefix', 'repos.2.default_branch']);
    expect(validateConfig(null, { SERVICE_CONFIG__repos: JSON.stringify(ROUTES) })).toMatchObject([
      { severity: 'warning', source: 'environment' },
      { severity: 'warning', source: 'environment' },
    ]);
  });

  it('are named as what the base file gives, and no longer once another list is in force', async () => {
    const { db, close } = await createTestDatabase();
    const text = `repos: ${JSON.stringify(ROUTES)}`;
    const baseFile = { name: 'switchyard.yaml', format: 'yaml', text } as const;
    const config = createConfigStore({ db, variables: {}, baseFile, readBaseFile });
    await config.load();
    expect(config.problems().map(({ source }) => source)).toEqual(['base', 'base']);
    config.setBaseFile({ ...baseFile, text: `repos: ${JSON.stringify(ROUTES.slice(0, 1))}` });
    await config.load();
    expect(config.problems()).toEqual([]);
    await close();
  });
});

describe('a default_branch that its repository does not have', () => {
  let bench: PullRequestWorld;
  afterEach(() => bench.close());

  it('is said by the set-up check of the code host', async () => {
    bench = await createPullRequestWorld();
    const { deps, fake, repository } = bench;
    const url = fake.urlOf(repository);
    const checked = (repos: RepoRoute[]) => {
      const load = async () => ({ ...(await deps.config.load()), repos });
      return checkCodeHosts({ ...deps, config: { ...deps.config, load } });
    };
    await deps.config.load();
    const there = { prefix: 'SY-', url, default_branch: 'main' };
    expect(await checked([there])).toMatchObject({ ok: true });
    const gone = { label: 'next', url, default_branch: 'release/2' };
    expect(await checked([there, gone])).toMatchObject({
      ok: false,
      message: expect.stringContaining('has no branch release/2'),
    });
  });
});
