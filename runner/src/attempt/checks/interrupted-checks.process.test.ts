import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { CheckSpec } from '@switchyard/shared/checks/check-spec';
import { limits, useHost } from '../testing/use-host.ts';

const rig = useHost();
const { edit, finished, payloads } = rig;

const at = (name: string): string => join(rig.world.fixture.folder, name);
const check = (name: string, command: string): CheckSpec => ({ name, command, timeoutMs: 300_000 });
/** Tells each of its runs, and waits there until the test goes on. */
const waiting = (): CheckSpec =>
  check(
    'waits',
    `echo $$ >>${at('pids')}; touch junk; until [ -e ${at('go')} ]; do sleep 0.02; done`,
  );
const goOn = (): void => writeFileSync(at('go'), '');
/** The shell makes the file a moment before it writes: a run counts once its line is there. */
const pids = (): number[] =>
  existsSync(at('pids'))
    ? readFileSync(at('pids'), 'utf8').split('\n').filter(Boolean).map(Number)
    : [];
/** Git works in real time and limits of an attempt in the clock's, which therefore stands still meanwhile. */
const waits = (runs = 1) => expect.poll(pids, { timeout: 60_000 }).toHaveLength(runs);
const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);
const ended = () => payloads('check').filter((one) => one['state'] === 'ended');
const turns = (): number =>
  rig.world.engine.sessions.reduce((sum, session) => sum + session.turns.length, 0);
const cancel = (): void =>
  rig.world.plane.say({
    type: 'cancel',
    attemptId: 'att_00000001',
    epoch: 1,
    reason: 'asked to',
    graceMs: 100,
  });

function work(): void {
  rig.world.engine.script = async (turn) => {
    await edit();
    turn.message('Fixed.\n\nSWITCHYARD_STATUS: DONE');
    turn.end();
  };
}

// A shell of a test that failed waits no longer than the test.
afterEach(() => {
  for (const pid of pids()) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
});

describe('a runner that is killed during a check', { timeout: 60_000 }, () => {
  it('goes on behind those that passed, asks no agent and delivers nothing of the check', async () => {
    work();
    rig.offer({ checks: [check('counts', `echo once >>${at('count')}`), waiting()] });
    await waits();
    await rig.restart();
    await waits(2);
    goOn();
    const { outcome, delivery } = await finished();
    expect({ outcome, files: delivery?.diffStat.files }).toEqual({
      outcome: 'completed',
      files: 1,
    });
    expect(readFileSync(at('count'), 'utf8')).toBe('once\n');
    expect(turns()).toBe(1);
  });
});

describe('an attempt that is stopped during a check', { timeout: 60_000 }, () => {
  it('ends it at once; its work counts as finished and not checked', async () => {
    work();
    rig.offer({ checks: [waiting()] });
    await waits();
    cancel();
    expect(await finished()).toMatchObject({
      outcome: 'completed',
      marker: 'DONE',
      delivery: { pushed: false, diffStat: { files: 1 } },
    });
    expect(pids().filter(isAlive)).toEqual([]);
    expect(ended()).toMatchObject([{ name: 'waits', result: 'not_run', exitCode: null }]);
  });

  it('has no finished work where another check is known to fail', async () => {
    work();
    rig.offer({ checks: [check('fails', 'exit 1'), waiting()] });
    await waits();
    cancel();
    const { outcome, message, delivery } = await finished();
    expect({ outcome, message, delivery }).toEqual({
      outcome: 'cancelled',
      message: 'asked to',
      delivery: undefined,
    });
  });
});

describe('an attempt that is stopped during the second run of a check', { timeout: 60_000 }, () => {
  it('has no finished work', async () => {
    work();
    const { command } = waiting();
    rig.offer({
      checks: [
        check('waits', `test -e ${at('first')} || { touch ${at('first')}; exit 1; }; ${command}`),
      ],
    });
    await waits();
    cancel();
    const { outcome, delivery } = await finished();
    expect({ outcome, delivery }).toEqual({ outcome: 'cancelled', delivery: undefined });
    expect(ended()).toMatchObject([
      { run: 1, result: 'failed' },
      { run: 2, result: 'not_run' },
    ]);
  });
});

describe('a check that is silent for long', { timeout: 60_000 }, () => {
  it('is not taken for an agent that is', async () => {
    work();
    const stalls = { turnStallMs: 200_000, agentStallMs: 200_000 };
    rig.offer({ checks: [waiting()], limits: { ...limits, ...stalls } });
    await waits();
    await rig.world.clock.advance(250_000);
    expect(rig.world.plane.finished.size).toBe(0);
    goOn();
    expect(await finished()).toMatchObject({ outcome: 'completed', delivery: { pushed: true } });
  });

  it('uses up the time of the attempt all the same', async () => {
    work();
    rig.offer({ checks: [waiting()], limits: { ...limits, attemptMs: 200_000 } });
    await waits();
    await rig.world.clock.advance(200_000);
    const { message, delivery } = await finished();
    expect(message).toContain('the attempt took longer than 3 min');
    expect(delivery?.pushed).toBe(false);
    expect(pids().filter(isAlive)).toEqual([]);
  });
});
