import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FakeTurn } from './testing/fake-engine.ts';
import type { HostWorld } from './testing/host-rig.ts';
import { makeWorld, offerTo, startHost, waitFor } from './testing/host-rig.ts';

const REF = 'refs/switchyard/wip/sy-1';
const checkpoints = { pushWorkInProgress: true, uploadSession: true };
let world: HostWorld;
let runner: Awaited<ReturnType<typeof startHost>>;
beforeEach(async () => {
  world = await makeWorld();
  runner = await startHost(world);
});
afterEach(async () => {
  await runner.kill();
  expect(runner.wire.trouble).toBeNull();
  await world.fixture.dispose();
});

const workspace = () => join(world.fixture.workspaces.paths.workspaces, 'SY-1');
const edit = (name: string) => writeFile(join(workspace(), name), 'new\n');
const finished = (key: string) =>
  waitFor(world, `finish of ${key}`, () => world.plane.finished.get(key));
const payloads = (kind: string, key = 'att_00000001@1') =>
  (world.plane.stored.get(key) ?? [])
    .filter((item) => item.kind === kind)
    .map((item) => item.payload);
const remote = (...args: string[]) => world.fixture.git(world.fixture.remotePath, ...args).trim();
const inBlob = (key: unknown) => world.blobs.get(String(key))?.toString() ?? '';
const writeSession = async (turn: FakeTurn) => {
  const folder = join(
    world.fixture.folder,
    'data/homes',
    `${turn.input.clientMessageId.split('.')[0]}-1`,
  );
  const sessions = join(folder, 'codex/sessions/2026');
  await mkdir(sessions, { recursive: true });
  await writeFile(join(sessions, 'rollout-thread-1.jsonl'), `turn ${turn.number}\n`, { flag: 'a' });
};

describe('checkpoints', { timeout: 60_000 }, () => {
  it('keep work, diff and session after every turn, and of an attempt that fails', async () => {
    world.engine.script = async (turn) => {
      await edit(`turn-${turn.number}.txt`);
      await writeSession(turn);
      turn.message('not yet');
      if (turn.number === 2) turn.end('failed', { kind: 'agent_error', message: 'broke' });
      else turn.end();
    };
    offerTo(world, { checkpoints });
    expect(await finished('att_00000001@1')).toMatchObject({ outcome: 'failed' });
    const taken = payloads('checkpoint');
    expect(taken.map(({ ordinal, trigger }) => [ordinal, trigger])).toEqual([
      [1, 'thread_started'],
      [2, 'turn_completed'],
      [3, 'terminal'],
    ]);
    expect(taken[0]).toMatchObject({ threadId: 'thread-1', commitSha: null, sessionBlob: null });
    expect(taken[1]).toMatchObject({ turnId: 'turn1', diffStat: { files: 1 } });
    expect(inBlob(taken[1]?.['diffBlob'])).toContain('turn-1.txt');
    expect(remote('rev-parse', REF)).toBe(taken[2]?.['commitSha']);
    expect(remote('ls-tree', '--name-only', REF)).toContain('turn-2.txt');
    expect(taken[2]?.['sessionBlob']).toEqual(expect.any(String));
    expect(remote('branch', '--list')).toBe('* main');
  });

  it('let another host go on with work and thread', async () => {
    world.engine.script = async (turn) => {
      await edit('first.txt');
      await writeSession(turn);
      turn.end('failed', { kind: 'agent_error', message: 'broke' });
    };
    offerTo(world, { checkpoints });
    await finished('att_00000001@1');
    const { commitSha, sessionBlob } = payloads('checkpoint').at(-1) ?? {};
    await waitFor(world, 'the lease to go', () => runner.host.held().length === 0);
    const { mirrors } = world.fixture.workspaces.paths;
    for (const folder of [workspace(), mirrors, join(world.fixture.folder, 'data/sessions')]) {
      await rm(folder, { recursive: true, force: true });
    }
    await mkdir(mirrors);
    let session = '';
    world.engine.script = async (turn) => {
      const folder = join(world.fixture.folder, 'data/homes/att_00000002-1/codex/sessions/2026');
      session = await readFile(join(folder, 'rollout-thread-1.jsonl'), 'utf8');
      await edit('second.txt');
      turn.message('SWITCHYARD_STATUS: DONE');
      turn.end();
    };
    const resume = { commitSha: String(commitSha), sessionBlob: String(sessionBlob) };
    offerTo(world, {
      attemptId: 'att_00000002',
      number: 2,
      resumeThreadId: 'thread-1',
      resume,
      checkpoints,
    });
    const finish = await finished('att_00000002@1');
    expect(finish).toMatchObject({ outcome: 'completed', marker: 'DONE' });
    expect(session).toBe('turn 1\n');
    expect(world.engine.sessions.at(-1)?.resumed).toBe('thread-1');
    const branch = finish.delivery?.branch ?? '';
    expect(finish.delivery?.diffStat.files).toBe(2);
    expect(remote('ls-tree', '--name-only', branch)).toContain('first.txt');
    const last = payloads('checkpoint', 'att_00000002@1').at(-1);
    expect(last).toMatchObject({ trigger: 'delivering', commitSha: finish.delivery?.commitSha });
    expect(remote('for-each-ref', REF)).toBe('');
  });

  it('start afresh, and say so, when the saved work is gone', async () => {
    const resume = { commitSha: 'a'.repeat(40), sessionBlob: 'nothing' };
    offerTo(world, { resumeThreadId: 'thread-1', resume });
    expect(await finished('att_00000001@1')).toMatchObject({ outcome: 'completed' });
    const notices = payloads('notice').map(({ message }) => String(message));
    expect(notices.join('\n')).toContain('earlier work on this issue could not be brought here');
    expect(notices.join('\n')).toContain('the earlier session could not be brought here');
  });

  it('never move the hidden ref from under another runner', async () => {
    world.engine.script = async (turn) => {
      if (turn.number === 2) {
        const theirs = await world.fixture.commitOnRemote('other', { 'theirs.txt': 'x\n' });
        remote('update-ref', REF, theirs);
      }
      await edit(`turn-${turn.number}.txt`);
      turn.message(turn.number === 2 ? 'SWITCHYARD_STATUS: BLOCKED' : 'not yet');
      turn.end();
    };
    offerTo(world, { checkpoints });
    expect(await finished('att_00000001@1')).toMatchObject({ marker: 'BLOCKED' });
    const second = payloads('checkpoint').find(({ turnId }) => turnId === 'turn2');
    expect(second).toMatchObject({ commitSha: null });
    expect(
      payloads('notice')
        .map(({ message }) => message)
        .join(),
    ).toContain('hidden ref');
  });

  it('leave work on this host that may not be pushed, and say so', async () => {
    world.plane.permit = { allowed: false, reason: 'the lease is lost' };
    world.engine.script = async (turn) => {
      await edit('kept.txt');
      turn.message('SWITCHYARD_STATUS: BLOCKED');
      turn.end();
    };
    offerTo(world, { checkpoints });
    expect(await finished('att_00000001@1')).toMatchObject({ marker: 'BLOCKED' });
    expect(remote('for-each-ref', REF)).toBe('');
    expect(world.plane.last('call')).toMatchObject({
      method: 'push.permit',
      attemptId: 'att_00000001',
      params: { branch: REF },
    });
    expect(payloads('checkpoint').at(-1)).toMatchObject({
      commitSha: null,
      diffStat: { files: 1 },
    });
    expect(payloads('notice')).toContainEqual({
      level: 'warning',
      message: expect.stringMatching(/hidden ref.*the lease is lost/) as string,
    });
    expect(existsSync(join(workspace(), 'kept.txt'))).toBe(true);
  });

  it('leave work on this host that is too large to push', async () => {
    await runner.kill();
    runner = await startHost(world, { maxWorkInProgressBytes: 512 * 1024 });
    world.engine.script = async (turn) => {
      await writeFile(join(workspace(), 'big.bin'), randomBytes(1024 * 1024));
      turn.message('SWITCHYARD_STATUS: BLOCKED');
      turn.end();
    };
    offerTo(world, { checkpoints });
    expect(await finished('att_00000001@1')).toMatchObject({ marker: 'BLOCKED' });
    expect(remote('for-each-ref', REF)).toBe('');
    expect(payloads('notice').map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/it has 1\.0 MiB and at most 0\.5 MiB are pushed/),
    );
  });

  it('are taken when the lease is given back, and not when it is lost', async () => {
    world.engine.script = async () => edit('begun.txt');
    offerTo(world, { checkpoints });
    await waitFor(world, 'the edit', () => existsSync(join(workspace(), 'begun.txt')));
    await waitFor(world, 'the thread', () => payloads('turn').length === 1);
    runner.host.releaseAll('stopping');
    // Git works in real time, the limit on it is in the clock's: that one has to stand still.
    await expect.poll(() => remote('for-each-ref', REF), { timeout: 10_000 }).not.toBe('');
    await waitFor(
      world,
      'the checkpoint',
      () => payloads('checkpoint').at(-1)?.['trigger'] === 'drain',
    );
    expect(remote('ls-tree', '--name-only', REF)).toContain('begun.txt');
  });
});
