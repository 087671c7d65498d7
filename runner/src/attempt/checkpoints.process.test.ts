import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FakeTurn } from './testing/fake-engine.ts';
import { useHost } from './testing/use-host.ts';

const REF = 'refs/switchyard/wip/sy-1';
const checkpoints = { pushWorkInProgress: true, uploadSession: true };
const rig = useHost();
const { edit, finished, offer, payloads, until, workspace } = rig;
const remote = (...args: string[]) =>
  rig.world.fixture.git(rig.world.fixture.remotePath, ...args).trim();
const inBlob = (key: unknown) => rig.world.blobs.get(String(key))?.toString() ?? '';
const writeSession = async (turn: FakeTurn) => {
  const folder = join(
    rig.world.fixture.folder,
    'data/homes',
    `${turn.input.clientMessageId.split('.')[0]}-1`,
  );
  const sessions = join(folder, 'codex/sessions/2026');
  await mkdir(sessions, { recursive: true });
  await writeFile(join(sessions, 'rollout-thread-1.jsonl'), `turn ${turn.number}\n`, { flag: 'a' });
};

describe('checkpoints', { timeout: 60_000 }, () => {
  it('keep work, diff and session after every turn, and of an attempt that fails', async () => {
    rig.world.engine.script = async (turn) => {
      await edit(`turn-${turn.number}.txt`);
      await writeSession(turn);
      turn.message('not yet');
      if (turn.number === 2) turn.end('failed', { kind: 'agent_error', message: 'broke' });
      else turn.end();
    };
    offer({ checkpoints });
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
    rig.world.engine.script = async (turn) => {
      await edit('first.txt');
      await writeSession(turn);
      turn.end('failed', { kind: 'agent_error', message: 'broke' });
    };
    offer({ checkpoints });
    await finished('att_00000001@1');
    const { commitSha, sessionBlob } = payloads('checkpoint').at(-1) ?? {};
    await until('the lease to go', () => rig.runner.host.held().length === 0);
    const { mirrors } = rig.world.fixture.workspaces.paths;
    for (const folder of [workspace(), mirrors, join(rig.world.fixture.folder, 'data/sessions')]) {
      await rm(folder, { recursive: true, force: true });
    }
    await mkdir(mirrors);
    let session = '';
    rig.world.engine.script = async (turn) => {
      const folder = join(
        rig.world.fixture.folder,
        'data/homes/att_00000002-1/codex/sessions/2026',
      );
      session = await readFile(join(folder, 'rollout-thread-1.jsonl'), 'utf8');
      await edit('second.txt');
      turn.message('SWITCHYARD_STATUS: DONE');
      turn.end();
    };
    const resume = { commitSha: String(commitSha), sessionBlob: String(sessionBlob) };
    offer({
      attemptId: 'att_00000002',
      number: 2,
      resumeThreadId: 'thread-1',
      resume,
      checkpoints,
    });
    const finish = await finished('att_00000002@1');
    expect(finish).toMatchObject({ outcome: 'completed', marker: 'DONE' });
    expect(session).toBe('turn 1\n');
    expect(rig.world.engine.sessions.at(-1)?.resumed).toBe('thread-1');
    const branch = finish.delivery?.branch ?? '';
    expect(finish.delivery?.diffStat.files).toBe(2);
    expect(remote('ls-tree', '--name-only', branch)).toContain('first.txt');
    const last = payloads('checkpoint', 'att_00000002@1').at(-1);
    expect(last).toMatchObject({ trigger: 'delivering', commitSha: finish.delivery?.commitSha });
    expect(remote('for-each-ref', REF)).toBe('');
  });

  it('start afresh, and say so, when the saved work is gone', async () => {
    const resume = { commitSha: 'a'.repeat(40), sessionBlob: 'nothing' };
    offer({ resumeThreadId: 'thread-1', resume });
    expect(await finished('att_00000001@1')).toMatchObject({ outcome: 'completed' });
    const notices = payloads('notice').map(({ message }) => String(message));
    expect(notices.join('\n')).toContain('earlier work on this issue could not be brought here');
    expect(notices.join('\n')).toContain('the earlier session could not be brought here');
  });

  it('never move the hidden ref from under another runner', async () => {
    rig.world.engine.script = async (turn) => {
      if (turn.number === 2) {
        const theirs = await rig.world.fixture.commitOnRemote('other', { 'theirs.txt': 'x\n' });
        remote('update-ref', REF, theirs);
      }
      await edit(`turn-${turn.number}.txt`);
      turn.message(turn.number === 2 ? 'SWITCHYARD_STATUS: BLOCKED' : 'not yet');
      turn.end();
    };
    offer({ checkpoints });
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
    rig.world.plane.permit = { allowed: false, reason: 'the lease is lost' };
    rig.world.engine.script = async (turn) => {
      await edit('kept.txt');
      turn.message('SWITCHYARD_STATUS: BLOCKED');
      turn.end();
    };
    offer({ checkpoints });
    expect(await finished('att_00000001@1')).toMatchObject({ marker: 'BLOCKED' });
    expect(remote('for-each-ref', REF)).toBe('');
    expect(rig.world.plane.last('call')).toMatchObject({
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
    await rig.restart({ maxWorkInProgressBytes: 512 * 1024 });
    rig.world.engine.script = async (turn) => {
      await writeFile(join(workspace(), 'big.bin'), randomBytes(1024 * 1024));
      turn.message('SWITCHYARD_STATUS: BLOCKED');
      turn.end();
    };
    offer({ checkpoints });
    expect(await finished('att_00000001@1')).toMatchObject({ marker: 'BLOCKED' });
    expect(remote('for-each-ref', REF)).toBe('');
    expect(payloads('notice').map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/it has 1\.0 MiB and at most 0\.5 MiB are pushed/),
    );
  });

  it('are taken when the lease is given back, and not when it is lost', async () => {
    rig.world.engine.script = async () => edit('begun.txt');
    offer({ checkpoints });
    await until('the edit', () => existsSync(join(workspace(), 'begun.txt')));
    await until('the thread', () => payloads('turn').length === 1);
    rig.runner.host.releaseAll('stopping');
    // Git works in real time, the limit on it is in the clock's: that one has to stand still.
    await expect.poll(() => remote('for-each-ref', REF)).not.toBe('');
    await until('the checkpoint', () => payloads('checkpoint').at(-1)?.['trigger'] === 'drain');
    expect(remote('ls-tree', '--name-only', REF)).toContain('begun.txt');
  });
});
