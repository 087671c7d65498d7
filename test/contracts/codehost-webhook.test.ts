import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  defaultConfig,
  type EffectiveConfig,
} from '../../control-plane/src/config/schema/config-schema.ts';
import { createGitHubCodeHost } from '../../control-plane/src/integrations/github/code-host/github-code-host.ts';
import type { Deps } from '../../control-plane/src/deps.ts';
import { createGitHubConnections } from '../../control-plane/src/integrations/github/api/github-connections.ts';
import { githubTrackerSettings } from '../../control-plane/src/integrations/github/tracker/github-tracker-settings.ts';
import { createCodehostHandler } from '../../control-plane/src/inbox/create-codehost-handler.ts';
import { FakeGitHub } from '../support/github/fake-github.ts';
import type { FakeHook, FakeRepository } from '../support/github/fake-state.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { createTestPorts } from '../support/test-ports.ts';

const OURS = 'https://switchyard.example/webhooks/codehost';
const signal = AbortSignal.timeout(600_000);

describe('the check of GitHub’s webhook', () => {
  let fake: FakeGitHub;
  let repository: FakeRepository;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;

  beforeEach(async () => {
    fake = await FakeGitHub.start();
    repository = fake.addRepository('acme', 'shop');
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await database.close();
    await fake.close();
  });

  type Change = { access?: object; codehost?: object; secret?: string | null };
  function setUp({ access, codehost, secret = 'hush' }: Change = {}) {
    const github = {
      endpoint: fake.apiUrl,
      url: fake.webUrl,
      ...(access ?? { token: fake.credentials.token }),
      draft: false,
      labels: [],
      reviewers: [],
      teamReviewers: [],
    };
    const plain = defaultConfig();
    const config: EffectiveConfig = {
      ...plain,
      repos: [{ prefix: 'SY-', url: fake.urlOf(repository) }],
      codehost: { github, ...codehost },
      webhook: {
        ...plain.webhook,
        ...(secret === null ? {} : { codehostSecret: secret }),
        webhookUrl: 'https://switchyard.example/webhooks/tracker',
      },
    };
    const ports = { ...createTestPorts(), clock: { nowMs: () => Date.now() } };
    const sources = {
      config: { latest: () => config },
      clock: ports.clock,
      resolveSecret: async () => null,
    };
    const host = createGitHubCodeHost({
      db: database.db,
      ...ports,
      github: createGitHubConnections(sources),
    });
    const issues = createGitHubConnections({ ...sources, settingsOf: githubTrackerSettings });
    const { resolveSecret } = sources;
    // Of everything it is given, the check uses only this.
    const handler = createCodehostHandler(
      { codeHosts: [host], config: { load: async () => config }, resolveSecret } as unknown as Deps,
      [],
    );
    const check = () => handler.checkSubscription?.(signal);
    return { host, issues, check };
  }
  const hook = (changes: Partial<FakeHook> = {}): FakeHook => ({
    active: true,
    config: { url: OURS },
    last_response: { code: 200, status: 'active', message: 'OK' },
    ...changes,
  });

  it('looks for it on the repository, and above it', async () => {
    const { check } = setUp();
    expect(await check()).toBeNull();
    repository.hooks = [];
    expect(await check()).toBeNull();
    fake.organisationHooks = [];
    expect(await check()).toBe('missing');
    fake.organisationHooks = [hook()];
    expect(await check()).toBe('ok');
    repository.hooks = [hook({ last_response: { code: 502, status: 'x', message: null } })];
    expect(await check()).toBe('failed');
    repository.hooks = [hook({ last_response: { code: null, status: 'unused', message: null } })];
    expect(await check()).toBe('ok');
    repository.hooks = [hook({ active: false })];
    expect(await check()).toBe('missing');
    repository.ownerType = 'User';
    repository.hooks = [hook({ config: { url: 'https://other.example/webhooks/codehost' } })];
    expect(await check()).toBe('missing');
  });

  it('asks an App about its own', async () => {
    const { appId, privateKey } = fake.credentials;
    const { check } = setUp({ access: { appId, appPrivateKey: privateKey } });
    expect(await check()).toBeNull();
    fake.appHook = { url: OURS, statusCodes: [] };
    expect(await check()).toBe('ok');
    fake.appHook.statusCodes = [202];
    expect(await check()).toBe('ok');
    fake.appHook.statusCodes = [401];
    expect(await check()).toBe('failed');
  });

  it('fails aloud when GitHub cannot be asked, and asks nothing without a secret', async () => {
    fake.makeTrouble({ match: /hooks/, times: 1, status: 503 });
    await expect(setUp().check()).rejects.toThrow('503');
    const before = fake.requests.length;
    expect(await setUp({ secret: null }).check()).toBeNull();
    expect(fake.requests.length).toBe(before);
  });

  it('leaves GitHub alone where only the built-in code host is wanted', async () => {
    const { host, issues, check } = setUp({ codehost: { kind: 'local' } });
    expect(host.serves(fake.urlOf(repository))).toBe(false);
    expect(await check()).toBeNull();
    expect(issues()).not.toBeNull();
    expect(setUp({ codehost: { kind: 'github' } }).host.serves(fake.urlOf(repository))).toBe(true);
  });
});
