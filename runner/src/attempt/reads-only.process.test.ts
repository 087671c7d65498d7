import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AttemptSpec } from '@switchyard/shared/protocol/attempt-spec';
import type { FakeTurn } from './testing/fake-engine.ts';
import { useHost } from './testing/use-host.ts';

const rig = useHost();
const { finished, payloads, workspace, edit } = rig;
const BRANCH = 'switchyard/sy-1-fix-it';

const git = (...args: string[]): string => rig.world.fixture.git(workspace(), ...args).trim();
const changed = () =>
  rig.world.fixture
    .git(rig.world.fixture.remotePath, 'diff', '--name-status', 'main', BRANCH)
    .trim()
    .split('\n');
const notices = (key: string) => payloads('notice', key).map(({ message }) => String(message));

function agent(act: () => Promise<unknown>, marker = 'DONE'): void {
  rig.world.engine.script = async (turn: FakeTurn) => {
    await act();
    turn.message(`Finished.\n\nSWITCHYARD_STATUS: ${marker}`);
    turn.end();
  };
}

/** Runs the attempt of this number to its end, and its lease. */
async function run(number: number, change: Partial<AttemptSpec> = {}) {
  const attemptId = `att_0000000${number}`;
  rig.offer({ attemptId, number, ...change });
  const finish = await finished(`${attemptId}@1`);
  await rig.until('the lease to go', () => rig.runner.host.held().length === 0);
  return finish;
}

async function writesEverywhere(): Promise<void> {
  const { write } = rig.world.fixture;
  await write(join(workspace(), 'src/app.txt'), 'other\n');
  await rm(join(workspace(), 'README.md'));
  await edit('committed.txt');
  git('add', '-A');
  git('commit', '-qm', 'Not asked for');
  await edit('planted.txt');
}

describe('what an agent writes that has only to read', { timeout: 60_000 }, () => {
  it('is not there for the work that follows', async () => {
    agent(writesEverywhere);
    expect(await run(1, { readOnly: true })).toMatchObject({ outcome: 'completed' });
    expect(payloads('checkpoint').at(-1)).toMatchObject({ diffStat: null, diffBlob: null });
    let found = 'not looked at';
    agent(async () => {
      found = git('status', '--porcelain');
      await edit('work.txt');
    });
    expect(await run(2)).toMatchObject({ outcome: 'completed' });
    expect(found).toBe('');
    expect(changed()).toEqual(['A\twork.txt']);
    expect(notices('att_00000002@1')).toEqual([]);
  });

  it('is put back also where it reads twice, and where it ends badly', async () => {
    agent(writesEverywhere);
    await run(1, { readOnly: true });
    agent(async () => {
      await edit('second.txt');
      rig.world.containers.started.at(-1)?.exit({ exitCode: 1, signal: null, oom: false });
      await new Promise(() => undefined);
    });
    expect(await run(2, { readOnly: true })).toMatchObject({ outcome: 'failed' });
    agent(() => edit('work.txt'));
    await run(3);
    expect(changed()).toEqual(['A\twork.txt']);
  });

  it('leaves the work that was there before', async () => {
    agent(async () => {
      await edit('first.txt');
      git('add', '-A');
      git('commit', '-qm', 'First');
      await edit('unfinished.txt');
    }, 'BLOCKED');
    await run(1);
    agent(writesEverywhere);
    await run(2, { readOnly: true });
    agent(() => edit('work.txt'));
    await run(3);
    expect(changed()).toEqual(['A\tfirst.txt', 'A\tunfinished.txt', 'A\twork.txt']);
  });

  it('is told to the agent that works, where it cannot be put back', async () => {
    agent(writesEverywhere);
    await run(1, { readOnly: true });
    rig.world.containers.prepareCommand = (spec) =>
      spec.purpose === 'check-tree'
        ? { ...spec, argv: ['sh', '-c', 'echo no space left >&2; exit 1'] }
        : spec;
    agent(() => edit('work.txt'));
    await run(2);
    const told = 'could not be put back: no space left';
    expect(notices('att_00000002@1')).toEqual([expect.stringContaining(told)]);
    expect(rig.world.engine.sessions.at(-1)?.turns[0]?.input.text).toContain(told);
  });

  it('is not looked for where a container keeps the agent from writing', async () => {
    rig.world.containers.isolation = 'docker';
    agent(() => Promise.resolve());
    await run(1, { readOnly: true });
    expect(rig.world.containers.commands.map(({ purpose }) => purpose)).not.toContain('check-tree');
  });
});
