import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defaultConfig } from '../../control-plane/src/config/schema/config-schema.ts';
import { createGitHubConnections } from '../../control-plane/src/integrations/github/api/github-connections.ts';
import { githubTrackerSettings } from '../../control-plane/src/integrations/github/tracker/github-tracker-settings.ts';
import { FakeGitHub } from '../support/github/fake-github.ts';

const Any = z.unknown();
const REPOSITORY = { owner: 'acme', name: 'shop' };

describe('limits of GitHub', () => {
  let fake: FakeGitHub;
  let nowMs: number;
  beforeEach(async () => {
    fake = await FakeGitHub.start();
    fake.addRepository('acme', 'shop');
    nowMs = Date.parse('2026-01-02T03:04:05Z');
    Object.assign(fake.limits, { nowMs: () => nowMs });
    Object.assign(fake.credentials, { nowMs: () => nowMs });
  });
  afterEach(() => fake.close());

  /** One connection for issues, one for pull requests, as a service has them. */
  function connections(access: object) {
    const github = { endpoint: fake.apiUrl, url: fake.webUrl, ...access };
    const more = { draft: false, labels: [], reviewers: [], teamReviewers: [] };
    const config = { ...defaultConfig(), codehost: { github: { ...github, ...more } } };
    const parts = {
      config: { latest: () => config },
      clock: { nowMs: () => nowMs },
      resolveSecret: async () => null,
    };
    const both = [
      createGitHubConnections(parts)(),
      createGitHubConnections({ ...parts, settingsOf: githubTrackerSettings })(),
    ];
    return both.map((connection) => {
      if (connection === null) throw new Error('GitHub is not configured');
      const { client, access: tokens } = connection;
      const auth = tokens.authorize(REPOSITORY);
      return {
        rest: () => client.json(Any, auth, { path: '/repos/acme/shop' }),
        write: () =>
          client.json(Any, auth, {
            method: 'POST',
            path: '/repos/acme/shop/issues',
            body: { title: 'x' },
          }),
        graphql: () =>
          client.graphql(Any, tokens.authorize(REPOSITORY, 'projects'), 'query Nothing { x }', {}),
      };
    });
  }
  const limited = (afterMs: number) => ({ category: 'rate_limited', retryAtMs: nowMs + afterMs });

  it.each(['token', 'app'] as const)(
    'a secondary one holds everything that this %s asks, whoever asks',
    async (how) => {
      const { token, appId, privateKey, minted } = fake.credentials;
      const [pulls, issues] = connections(
        how === 'token' ? { token } : { appId, appPrivateKey: privateKey },
      );
      await pulls?.rest();
      await issues?.rest();
      for (const each of how === 'token' ? [token] : minted) fake.limits.slowDown(each, 30);
      await expect(pulls?.rest()).rejects.toMatchObject(limited(30_000));
      const before = fake.requests.length;
      nowMs += 10_000;
      await expect(pulls?.write()).rejects.toMatchObject(limited(20_000));
      await expect(issues?.rest()).rejects.toMatchObject(limited(20_000));
      await expect(issues?.graphql()).rejects.toMatchObject(limited(20_000));
      expect(fake.requests.length).toBe(before);
      expect(fake.limits.impatient).toEqual([]);
      nowMs += 20_001;
      await pulls?.rest();
      await issues?.write();
    },
  );

  it('GraphQL’s 200 with RATE_LIMITED is waited out, and REST goes on', async () => {
    const { token } = fake.credentials;
    const [pulls, issues] = connections({ token });
    fake.limits.spend(token, 'graphql', nowMs + 600_000);
    await expect(pulls?.graphql()).rejects.toMatchObject(limited(600_000));
    const before = fake.requests.length;
    await expect(issues?.graphql()).rejects.toMatchObject(limited(600_000));
    expect(fake.requests.length).toBe(before);
    await pulls?.rest();
    expect(fake.limits.impatient).toEqual([]);
  });

  it('of one token do not hold another', async () => {
    const { token } = fake.credentials;
    const [pulls] = connections({ token });
    fake.limits.slowDown(token, 30);
    await expect(pulls?.rest()).rejects.toMatchObject(limited(30_000));
    const other = fake.credentials.fineGrained(['acme/shop'], {});
    await connections({ token: other })[0]?.rest();
  });

  it('end with the allowance: the last answer says when the next may be asked for', async () => {
    const { token } = fake.credentials;
    const [pulls, issues] = connections({ token });
    const headers = {
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Resource': 'core',
      'X-RateLimit-Reset': String(nowMs / 1_000 + 90),
    };
    fake.makeTrouble({ match: /shop$/, times: 1, status: 200, body: '{}', headers });
    await pulls?.rest();
    const before = fake.requests.length;
    await expect(issues?.rest()).rejects.toMatchObject(limited(90_000));
    expect(fake.requests.length).toBe(before);
  });
});
