import { afterEach, describe, expect, it } from 'vitest';
import { readEnvironment } from '../../control-plane/src/config/read-environment.ts';
import type { CoreWorld } from '../support/core/core-world.ts';
import { storeUnchecked } from '../support/core/store-unchecked.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { createUnreadableGitHub, type UnreadableGitHub } from '../support/unreadable-trackers.ts';

const HALVES = ['ghp_firstHalf0123456789', 'secondHalf9876543210zz'] as const;
const VALUE = HALVES.join('\n');
const LOCAL = { remoteAddress: '127.0.0.1' };

const make = useCoreWorlds();
const trackers: UnreadableGitHub[] = [];
afterEach(async () => {
  for (const each of trackers.splice(0)) await each.close();
});

async function answerOf(world: CoreWorld, at: string, body?: unknown): Promise<string> {
  const [method = '', path = ''] = at.split(' ');
  const answer = await world.core.app.request(
    `/api/v1${path}`,
    {
      method,
      headers: { Host: 'localhost', 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    },
    LOCAL,
  );
  return answer.text();
}

function expectNothingOf(text: string): void {
  for (const half of HALVES) expect(text).not.toContain(half);
}

describe('a stored secret with a line break', () => {
  it('is in no answer when the tracker cannot be asked with it, and the trouble is named', async () => {
    const github = await createUnreadableGitHub({
      SERVICE_CONFIG__codehost__github__token: '$SECRET:GITHUB',
    });
    trackers.push(github);
    const { world } = github;
    await storeUnchecked(world, 'GITHUB', VALUE);
    await world.createIssue();
    await world.tick();
    const seen = await answerOf(world, 'GET /observability');
    expectNothingOf(seen);
    expect(seen).toMatch(/GITHUB|line break/);
    for (const step of ['tracker', 'code_host', 'repository']) {
      expectNothingOf(await answerOf(world, 'POST /setup/check', { step }));
    }
    for (const path of ['/state', '/local/issues', '/audit', '/transitions'])
      expectNothingOf(await answerOf(world, `GET ${path}`));
    expectNothingOf(world.core.complaints.join('\n'));
  });

  it('is in no answer when the model provider cannot be asked with it', async () => {
    const world = await make({ SERVICE_CONFIG__engine__provider__apiKey: '$SECRET:MODEL' });
    await storeUnchecked(world, 'MODEL', VALUE);
    const seen = await answerOf(world, 'POST /setup/check', { step: 'provider' });
    expectNothingOf(seen);
    expect(seen).toMatch(/line break/);
  });
});

describe('a secret as it is stored', () => {
  const store = (world: CoreWorld, value: string) => answerOf(world, 'POST /secrets/K', { value });

  it('loses the line breaks around it, and is refused with one inside', async () => {
    const world = await make();
    expect(await store(world, 'a-token-of-somebody\r\n')).toBe('');
    expect(await world.deps.resolveSecret('K')).toBe('a-token-of-somebody');
    for (const value of [VALUE, HALVES.join('\u200b'), HALVES.join('\t'), '\n\n']) {
      const refused = await store(world, value);
      expectNothingOf(refused);
      expect(refused).toMatch(value === '\n\n' ? /"status":400/ : /copy it again in one piece/);
    }
    expect(await world.deps.resolveSecret('K')).toBe('a-token-of-somebody');
  });

  it('may be a key in PEM, unless a setting refers to it that wants none', async () => {
    const world = await make({ SERVICE_CONFIG__engine__provider__apiKey: '$SECRET:MODEL' });
    const pem = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n-----END PRIVATE KEY-----\n';
    expect(await store(world, pem)).toBe('');
    expect(await world.deps.resolveSecret('K')).toBe(pem.trim());
    expect(await answerOf(world, 'POST /secrets/MODEL', { value: pem })).toMatch(/a key in PEM/);
  });

  it('is refused in the configuration too, by its name and without its value', async () => {
    const world = await make();
    const path = 'engine.provider.apiKey';
    const refused = await answerOf(world, `PATCH /config/overlay/${path}`, { value: VALUE });
    expectNothingOf(refused);
    expect(refused).toMatch(/engine\.provider\.apiKey: has a line break/);
    await answerOf(world, `PATCH /config/overlay/${path}`, { value: 'a-literal-key\n' });
    expect((await world.deps.config.load()).engine.provider.apiKey).toBe('a-literal-key');
    const { layer, problems } = readEnvironment({
      SERVICE_CONFIG__webhook__webhookSecret: VALUE,
      SERVICE_CONFIG__triggers__apiKey: 'a-trigger-key\n',
    });
    expect(problems).toMatchObject([
      {
        message: expect.stringMatching(/^SERVICE_CONFIG__webhook__webhookSecret: has a line break/),
      },
    ]);
    expectNothingOf(JSON.stringify([layer, problems]));
  });

  it('is not asked with where it has a line break: the setup says so', async () => {
    const world = await make();
    for (const [at, body] of [
      ['POST /setup/provider', { apiKey: VALUE }],
      ['POST /setup/tracker/key', { apiKey: VALUE }],
    ] as const) {
      const refused = await answerOf(world, at, body);
      expectNothingOf(refused);
      expect(refused).toMatch(/"code":"invalid_secret"/);
    }
  });
});
