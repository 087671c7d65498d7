import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../../test/support/test-database.ts';
import { type BaseFile, readBaseFile } from './base-file.ts';
import { configHealth } from './config-health.ts';
import { CONFIG_MAX_STALE_MS } from './config-store.ts';
import { createConfigStore } from './create-config-store.ts';
import { defaultConfig } from './schema/config-schema.ts';
import { configOverlay } from '../db/schema/admin/config.ts';
import { secrets } from '../db/schema/admin/secrets.ts';

describe('createConfigStore', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.close());

  function file(text: string | null): BaseFile {
    return { name: 'switchyard.yaml', format: 'yaml', text };
  }
  function store(text: string | null, variables: Record<string, string> = {}) {
    return createConfigStore({ db: database.db, variables, baseFile: file(text), readBaseFile });
  }
  function overlay(version: number, value: Record<string, unknown>) {
    const row = { id: 1, version, value, updated_at_ms: 1 };
    return database.db
      .insert(configOverlay)
      .values(row)
      .onConflictDoUpdate({ target: configOverlay.id, set: row });
  }

  it('takes LINEAR_API_KEY where no key is set, and any key that is set before it', async () => {
    const variables = { LINEAR_API_KEY: 'lin_api_shell' };
    const bare = await store('tracker: { kind: linear, project_slug: web }', variables).load();
    expect(bare.tracker).toMatchObject({
      kind: 'linear',
      linear: { apiKey: 'lin_api_shell', projectSlug: 'web' },
    });
    const own = await store('tracker: { kind: linear, api_key: lin_api_file }', variables).load();
    expect(own.tracker.linear?.apiKey).toBe('lin_api_file');
    expect((await store(null, variables).load()).tracker.kind).toBe('local');
  });

  it('has the documented defaults without anything', async () => {
    const config = await createConfigStore({
      db: database.db,
      variables: {},
      baseFile: null,
    }).load();
    expect(config).toEqual(defaultConfig());
    expect(config).toMatchObject({
      agent: {
        maxConcurrentAgents: 10,
        maxTurns: 20,
        maxContinuationAttempts: 5,
        maxRetryBackoffMs: 300_000,
        retryBaseMs: 10_000,
        stallTimeoutMs: 1_200_000,
        requestTimeoutMs: 86_400_000,
        budget: { attemptMinutes: 120, issueTokens: 20_000_000 },
      },
      engine: {
        stallTimeoutMs: 300_000,
        sandbox: { resources: { memoryBytes: 4 * 1024 ** 3, cpus: 2, pids: 512 } },
      },
      polling: { intervalMs: 15_000 },
      webhook: { pollingStretchMs: 120_000, healthCheckIntervalMs: 300_000 },
      hooks: { timeoutMs: 60_000 },
      limits: { apiPerMinute: 300, webhooksPerMinute: 600 },
      tracker: { kind: 'local', local: { prefix: 'SY' } },
    });
  });

  it('lets the environment win over the file, and the overlay over both', async () => {
    const config = store('agent: { max_turns: 1, retry_base_ms: 1 }\nlimits: { apiPerMinute: 1 }', {
      SERVICE_CONFIG__agent__maxTurns: '2',
      SERVICE_CONFIG__limits__apiPerMinute: '2',
    });
    await overlay(1, { limits: { api_per_minute: 3 } });
    expect(await config.load()).toMatchObject({
      agent: { retryBaseMs: 1, maxTurns: 2 },
      limits: { apiPerMinute: 3 },
    });
  });

  it('sees a changed overlay at the next load', async () => {
    const config = store('');
    await config.load();
    await overlay(1, { 'agent.maxTurns': 3 });
    expect((await config.load()).agent.maxTurns).toBe(3);
  });

  it('keeps the last good file when a reload is bad, says so, and recovers', async () => {
    const config = store('agent: { maxTurns: 3 }');
    config.setBaseFile(file('agent: { maxTurns: [ }'));
    expect((await config.load()).agent.maxTurns).toBe(3);
    expect(config.problems()).toMatchObject([
      { code: 'workflow_parse_error', blocksDispatch: true },
    ]);
    config.setBaseFile(file('agent: { maxTurns: 4 }'));
    expect((await config.load()).agent.maxTurns).toBe(4);
    expect(config.problems()).toEqual([]);
  });

  it('dispatches nothing while a stored overlay has never been in force', async () => {
    const config = store('{}');
    const isBlocked = async () => {
      await config.load();
      return config.problems().some(({ blocksDispatch }) => blocksDispatch);
    };
    await overlay(1, { 'engine.sandbox.network': 'none', 'agent.maxTurns': 'no' });
    expect(await isBlocked()).toBe(true);
    await overlay(2, { 'engine.sandbox.network': 'none' });
    expect(await isBlocked()).toBe(false);
    await overlay(3, { 'agent.maxTurns': 'no' });
    expect(await isBlocked()).toBe(false);
    expect((await config.load()).engine.sandbox.network).toBe('none');
  });

  it('keeps the last good configuration when a stored overlay is bad', async () => {
    await overlay(1, { 'agent.maxTurns': 3 });
    const config = store('agent: { retryBaseMs: 5 }');
    await config.load();
    await overlay(2, { 'agent.maxTurns': 'no', nope: 1 });
    expect((await config.load()).agent).toMatchObject({ maxTurns: 3, retryBaseMs: 5 });
    expect(config.problems()).toMatchObject([{ source: 'overlay', severity: 'error' }]);
    const restarted = store('agent: { retryBaseMs: 5 }');
    expect((await restarted.load()).agent).toMatchObject({ maxTurns: 20, retryBaseMs: 5 });
  });

  it("takes a login's key for the provider's where none is configured", async () => {
    const bytes = new Uint8Array(1);
    const row = { master_key_id: 'm', nonce: bytes, ciphertext: bytes, version: 1 };
    const times = { created_at_ms: 1, updated_at_ms: 1 };
    const config = store('');
    expect((await config.load()).engine.provider.apiKey).toBeUndefined();
    await database.db.insert(secrets).values({ key: 'ENGINE_API_KEY', ...row, ...times });
    const filled = await config.load();
    expect(filled.engine.provider.apiKey).toBe('$SECRET:ENGINE_API_KEY');
    expect(await config.load()).toBe(filled);
    await overlay(1, { 'engine.provider.apiKey': 'literal' });
    expect((await config.load()).engine.provider.apiKey).toBe('literal');
  });

  describe('with a clock', () => {
    let nowMs = 0;
    let reads = 0;
    const clocked = () => {
      const counting = new Proxy(database.db, {
        get(target, name, receiver) {
          if (name === 'get') reads += 1;
          return Reflect.get(target, name, receiver) as unknown;
        },
      });
      const clock = { nowMs: () => nowMs };
      return createConfigStore({
        db: counting,
        variables: {},
        baseFile: file(''),
        readBaseFile,
        clock,
      });
    };
    beforeEach(() => {
      nowMs = 1_000_000;
      reads = 0;
    });

    it('reads once while what it knows is young enough', async () => {
      const config = clocked();
      for (let times = 0; times < 50; times += 1) await config.load();
      expect(reads).toBe(1);
      expect(config.latest()).toEqual(await config.load());
    });

    it('sees what another instance changed as soon as its own answer is a second old', async () => {
      const config = clocked();
      await config.load();
      await overlay(1, { 'agent.maxTurns': 3 });
      nowMs += CONFIG_MAX_STALE_MS;
      expect((await config.load()).agent.maxTurns).toBe(3);
    });

    it('sees its own change at once, also one made while a read is under way', async () => {
      const config = clocked();
      await config.load();
      await overlay(1, { 'agent.maxTurns': 3 });
      config.expire();
      expect((await config.load()).agent.maxTurns).toBe(3);
      config.expire();
      const early = config.load();
      config.expire();
      await overlay(2, { 'agent.maxTurns': 4 });
      await early;
      expect((await config.load()).agent.maxTurns).toBe(4);
    });

    it('does not trust a clock that was set back', async () => {
      const config = clocked();
      await config.load();
      await overlay(1, { 'agent.maxTurns': 3 });
      nowMs -= 60_000;
      expect((await config.load()).agent.maxTurns).toBe(3);
    });

    it('tells the health of the configuration', async () => {
      const config = clocked();
      await config.load();
      const baseFile = {
        name: 'switchyard.yaml',
        inForce: true,
        takenAt: '1970-01-01T00:16:40.000Z',
      };
      const good = { status: 'ok', blocksDispatch: false, baseFile, problems: [] };
      expect(configHealth(config)).toEqual(good);
      nowMs += 60_000;
      config.setBaseFile(file('- not a map'));
      expect(configHealth(config)).toMatchObject({
        status: 'error',
        blocksDispatch: true,
        baseFile: { ...baseFile, inForce: false },
        problems: [{ code: 'workflow_front_matter_not_a_map' }],
      });
      config.setBaseFile(file('nope: 1'));
      expect(configHealth(config)).toMatchObject({ status: 'warning', blocksDispatch: false });
    });
  });
});
