import { afterEach, describe, expect, it } from 'vitest';
import { encryptValue } from '../../control-plane/src/admin/secrets/encrypt-value.ts';
import { upsertSecret } from '../../control-plane/src/admin/secrets/queries.ts';
import type { CoreWorld } from '../support/core/core-world.ts';
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

/** As an earlier version stored it, whatever is in it. */
async function storeUnchecked({ deps }: CoreWorld, key: string, text: string): Promise<void> {
  const value = await encryptValue(await deps.masterKeys.current(), key, text);
  await deps.db.batch([
    upsertSecret(deps.db, deps.clock.nowMs(), { key, value, maxSecrets: 1_000 }),
  ]);
}

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
    for (const path of ['/state', '/issues', '/audit', '/events?after=0&limit=1']) {
      if (!path.startsWith('/events')) expectNothingOf(await answerOf(world, `GET ${path}`));
    }
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
