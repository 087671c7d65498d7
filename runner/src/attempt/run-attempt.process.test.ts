import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { totals } from './testing/fake-engine.ts';
import type { FakeTurn } from './testing/fake-engine.ts';
import { useHost } from './testing/use-host.ts';

const rig = useHost();
const { container, edit, finished, offer, payloads, stored, until, workspace } = rig;

describe('an attempt that succeeds', { timeout: 60_000 }, () => {
  it('pushes what the agent did and says all about it', async () => {
    rig.world.plane.sealedSecrets = JSON.stringify({ providerApiKey: 'sk-secret' });
    rig.world.engine.script = async (one: FakeTurn) => {
      await edit();
      one.say({ kind: 'stats', totals, contextWindow: 1000 });
      one.message('I fixed it.\n\nSWITCHYARD_STATUS: DONE\n');
      one.end();
    };
    offer();
    const finish = await finished();
    expect(finish).toMatchObject({
      outcome: 'completed',
      marker: 'DONE',
      summary: 'I fixed it.',
      usage: totals,
    });
    expect(finish.delivery).toMatchObject({
      baseBranch: 'main',
      diffStat: { files: 1, insertions: 1 },
    });
    const { branch = '', commitSha } = finish.delivery ?? {};
    expect(rig.world.fixture.git(rig.world.fixture.remotePath, 'rev-parse', branch).trim()).toBe(
      commitSha,
    );
    expect(rig.world.blobs.get(finish.delivery?.diffBlob ?? '')).toContain('new.txt');
    expect(payloads('phase').map(({ phase }) => phase)).toEqual([
      'workspace',
      'starting',
      'streaming',
      'delivering',
    ]);
    expect(payloads('container').map(({ state }) => state)).toEqual(['started', 'exited']);
    expect(payloads('thread')).toMatchObject([{ threadId: 'thread-1', resumed: false }]);
    expect(rig.world.grants).toEqual([{ attemptId: 'att_00000001', apiKey: 'sk-secret' }]);
    expect(JSON.stringify(rig.world.plane.received)).not.toContain('sk-secret');
    expect(rig.world.plane.last('call')).toMatchObject({
      method: 'push.permit',
      attemptId: 'att_00000001',
      epoch: 1,
    });
  });

  it('leaves its workspace and nothing else', async () => {
    offer();
    await finished();
    await until('the lease to go', () => rig.runner.host.held().length === 0);
    expect((await container()).removed).toBe(true);
    expect(rig.world.revoked).toEqual(['att_00000001']);
    const data = join(rig.world.fixture.folder, 'data');
    expect(await readdir(join(data, 'homes'))).toEqual([]);
    expect(await readdir(join(data, 'sessions'))).toEqual(['SY-1']);
    expect(existsSync(workspace())).toBe(true);
  });

  it('without a difference delivers nothing', async () => {
    offer();
    const finish = await finished();
    expect(finish).toMatchObject({ outcome: 'completed', marker: 'DONE' });
    expect(finish.delivery).toBeUndefined();
    expect(rig.world.plane.all('call')).toEqual([]);
  });

  it('that may only read commits and pushes nothing, whatever its agent wrote', async () => {
    rig.world.engine.script = async (one: FakeTurn) => {
      await edit();
      one.message('# All is well\n\nSWITCHYARD_STATUS: DONE');
      one.end();
    };
    offer({ readOnly: true });
    const finish = await finished();
    expect(finish).toMatchObject({ outcome: 'completed', summary: '# All is well' });
    expect(finish.delivery).toBeUndefined();
    expect(payloads('snapshot')).toEqual([]);
    expect(rig.world.plane.all('call')).toEqual([]);
    const [workspace] = rig.world.containers.specs.at(-1)?.mounts ?? [];
    expect(workspace?.readOnly).toBe(true);
  });

  it('goes on with guidance until there is a marker', async () => {
    rig.world.engine.script = (one) => {
      one.message(one.number < 3 ? 'not yet' : 'SYMPHONY_STATUS: DONE');
      one.end();
    };
    offer();
    expect(await finished()).toMatchObject({ marker: 'DONE', summary: 'not yet' });
    const texts = rig.world.engine.sessions[0]?.turns.map(({ input }) => input.text) ?? [];
    expect(texts[0]).toBe('Fix it.');
    expect(texts[1]).toContain('turn 2 of 3');
    expect(texts).toHaveLength(3);
  });

  it('numbers its turns on where it had some under a former lease', async () => {
    offer({ turnsBefore: 2 });
    await finished();
    expect(payloads('turn').map(({ state, number }) => [state, number])).toEqual([
      ['started', 3],
      ['ended', 3],
    ]);
  });

  it('ends without a marker after its last turn, work kept and not delivered', async () => {
    rig.world.engine.script = async (one) => {
      await edit();
      one.message('SWITCHYARD_STATUS: DONE is what I will say later');
      one.end();
    };
    offer();
    const finish = await finished();
    expect(finish).toMatchObject({ outcome: 'completed', marker: null });
    expect(finish.delivery).toBeUndefined();
    expect(stored('turn')).toHaveLength(6);
    expect(payloads('snapshot')).toMatchObject([{ diffStat: { files: 1 } }]);
  });

  it('that is blocked delivers nothing', async () => {
    rig.world.engine.script = async (one) => {
      await edit();
      one.message('I need a key.\nSWITCHYARD_STATUS: BLOCKED');
      one.end();
    };
    offer();
    const finish = await finished();
    expect(finish).toMatchObject({
      outcome: 'completed',
      marker: 'BLOCKED',
      summary: 'I need a key.',
    });
    expect(finish.delivery).toBeUndefined();
  });

  it('resumes a stored thread with the continuation prompt', async () => {
    offer({ resumeThreadId: 'thread-9' });
    await finished();
    const session = rig.world.engine.sessions[0];
    expect(session?.resumed).toBe('thread-9');
    expect(session?.turns[0]?.input.text).toBe('Go on.');
  });

  it('delivers nothing where only hooks left files, and everything where the agent did too', async () => {
    const hooks = { afterCreate: 'echo built > cache.txt', beforeRun: 'echo y >> README.md' };
    rig.world.engine.script = async (one: FakeTurn) => {
      one.message('Nothing to do.\n\nSWITCHYARD_STATUS: DONE\n');
      one.end();
    };
    offer({ hooks });
    const first = await finished();
    expect(first).toMatchObject({ outcome: 'completed', marker: 'DONE' });
    expect(first.delivery).toBeUndefined();
    rig.world.engine.script = async (one: FakeTurn) => {
      await edit();
      one.message('Fixed.\n\nSWITCHYARD_STATUS: DONE\n');
      one.end();
    };
    await until('the lease to go', () => rig.runner.host.held().length === 0);
    offer({ attemptId: 'att_2', hooks: { afterCreate: hooks.afterCreate } });
    expect((await finished('att_2@1')).delivery?.diffStat.files).toBe(3);
  });

  it('delivers work on what its hook cloned into the workspace, from the mirror alone', async () => {
    const { containers, fixture } = rig.world;
    // The remote is this host's: what runs for an issue has no other way to it than the mirror.
    const afterCreate = `git clone --depth 1 ${fixture.source.url} . && echo cloned`;
    rig.world.engine.script = async (one: FakeTurn) => {
      await edit();
      one.message('Fixed.\n\nSWITCHYARD_STATUS: DONE\n');
      one.end();
    };
    offer({ hooks: { afterCreate } });
    const finish = await finished();
    expect(finish).toMatchObject({ outcome: 'completed', delivery: { diffStat: { files: 1 } } });
    const hook = containers.commands.find(({ purpose }) => purpose === 'after-create');
    const served = hook?.mounts.filter(({ readOnly }) => readOnly).map(({ hostPath }) => hostPath);
    expect(served).toHaveLength(2);
    expect(hook?.env['GIT_CONFIG_SYSTEM']).toContain(served?.[1]);
    const later = containers.commands.filter((one) => one !== hook);
    const others = [
      ...later.map(({ mounts }) => mounts),
      ...containers.specs.map((one) => one.mounts),
    ];
    expect(others.flat().map(({ hostPath }) => hostPath)).not.toContain(served?.[1]);
    expect(existsSync(served?.[1] ?? '')).toBe(false);
  });

  it('runs its hooks and shows what they printed', async () => {
    offer({
      hooks: {
        afterCreate: 'echo created',
        beforeRun: 'echo before $SWITCHYARD_ISSUE',
        afterRun: 'echo after; exit 3',
      },
    });
    await finished();
    const hooks = payloads('log').filter(({ source }) => source === 'hook');
    expect(hooks.map(({ text }) => text)).toEqual([
      'after_create: created',
      'before_run: before SY-1',
      'after_run: ended with exit code 3 after',
    ]);
  });
});
