import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../connection/testing/fake-clock.ts';
import { testSpec } from '../../connection/testing/attempt-spec.ts';
import { SetupCaches, listCaches } from '../../workspace/setup-caches.ts';
import type { HookAdditions } from '../companions/companion.ts';
import { type CacheContext, useSetupCache } from './use-setup-cache.ts';

let root = '';
const told: string[] = [];
beforeEach(async () => {
  told.length = 0;
  root = await mkdtemp(join(tmpdir(), 'swy-cache-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** What a hook is given where the cache may take so many bytes. */
async function given(
  options: { maxBytes?: number; isolation?: 'docker' | 'process'; isBaseBranch?: boolean } = {},
): Promise<HookAdditions | undefined> {
  const spec = testSpec({ repository: { url: 'https://git.test/one' } });
  const { maxBytes } = options;
  const context: CacheContext = {
    spec: {
      ...spec,
      sandbox: {
        ...spec.sandbox,
        ...(maxBytes === undefined ? {} : { setupCacheBytes: maxBytes }),
      },
    },
    recorder: { log: async (_source, text) => void told.push(text) },
    deps: {
      caches: new SetupCaches(root, null),
      clock: new FakeClock(),
      containers: { isolation: options.isolation ?? 'docker' },
    },
  };
  const { isBaseBranch = true } = options;
  return useSetupCache(context).aroundCreationHook?.({ isBaseBranch }, async (given) => given);
}

describe('the dependency cache of a set-up hook', () => {
  it('is mounted alone, and package managers are told of it', async () => {
    const added = await given({ maxBytes: 1e6 });
    expect(added?.mounts).toMatchObject([
      { containerPath: '/var/cache/switchyard', readOnly: false },
    ]);
    expect(added?.env).toMatchObject({
      SWITCHYARD_CACHE: '/var/cache/switchyard',
      npm_config_cache: '/var/cache/switchyard/npm',
      PIP_CACHE_DIR: '/var/cache/switchyard/pip',
      CARGO_HOME: '/var/cache/switchyard/cargo',
    });
    expect(await listCaches(root)).toMatchObject([{ repositoryUrl: 'https://git.test/one' }]);
  });

  it('is not there unless it is wanted', async () => {
    expect(await given()).toEqual({ mounts: [], env: {} });
    expect(await listCaches(root)).toEqual([]);
  });

  it('never meets what an agent wrote', async () => {
    expect(await given({ maxBytes: 1e6, isBaseBranch: false })).toEqual({ mounts: [], env: {} });
  });

  it('is not there for plain processes, which is said', async () => {
    expect(await given({ maxBytes: 1e6, isolation: 'process' })).toEqual({ mounts: [], env: {} });
    expect(told).toEqual(['no dependency cache: this runner has none for plain processes']);
  });
});
