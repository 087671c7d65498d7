import { afterEach, describe, expect, it } from 'vitest';
import { callCore } from '../support/core/call-core.ts';
import { createCoreWorld } from '../support/core/core-world.ts';
import type { CoreWorld } from '../support/core/core-world.ts';
import { openFramePeer } from '../support/core/runner-peers.ts';
import { DELIVERY } from '../support/core/scripted-runner.ts';
import { sceneWithLease } from './runner-protocol/scene.ts';

const worlds: CoreWorld[] = [];
const make = async () => {
  const world = await createCoreWorld(openFramePeer);
  worlds.push(world);
  return world;
};
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const pullRequestsOf = async (world: CoreWorld) =>
  (await callCore(world, 'GET', '/api/v1/local/pull-requests')).body;

describe('a branch that a runner reports', () => {
  it.each(['main', 'release/1', 'switchyard', 'refs/heads/switchyard/x', 'switchyard/../main'])(
    'becomes no pull request when it is %s, whatever the code host would do',
    async (branch) => {
      const { world, runner, lease } = await sceneWithLease(make);
      const delivery = { ...DELIVERY, branch };
      const answer = await runner.finish(lease, { marker: 'DONE', delivery });
      expect(answer).toMatchObject({ type: 'error', code: 'INVALID', retryable: false });
      await world.tick();
      const { branch: kept } = await world.attempt(lease.attemptId);
      expect(kept).toBe('switchyard/sy-1-fix-the-build');
      expect(await pullRequestsOf(world)).toMatchObject({ total: 0 });
    },
  );

  it('becomes one below switchyard/', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    await runner.finish(lease, { marker: 'DONE', delivery: DELIVERY });
    await world.tick();
    expect(await pullRequestsOf(world)).toMatchObject({ total: 1 });
  });

  it('becomes one that tells which modes change, where its runner does', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    const modeChanges = [{ path: 'Aufträge/a"b.sh', from: '100644', to: '100755' }];
    const diffStat = { files: 1, insertions: 0, deletions: 0, modeChanges };
    await runner.finish(lease, { marker: 'DONE', delivery: { ...DELIVERY, diffStat } });
    await world.tick();
    expect(await pullRequestsOf(world)).toMatchObject({ pullRequests: [{ diffStat }] });
  });
});
