import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useHost } from './testing/use-host.ts';

const rig = useHost();
const { finished, payloads, until, workspace } = rig;

const write = (name: string, text = 'new\n'): Promise<void> =>
  rig.world.fixture.write(join(workspace(), name), text);
const git = (...args: string[]): string => rig.world.fixture.git(workspace(), ...args).trim();

function agent(work: () => unknown): void {
  rig.world.engine.script = async (turn) => {
    await work();
    turn.message('Finished.\n\nSWITCHYARD_STATUS: DONE');
    turn.end();
  };
}

describe('work outside the scope of its repository', { timeout: 60_000 }, () => {
  it('is counted and named with its delivery, also that of a renamed file', async () => {
    agent(async () => {
      await write('src/new.txt');
      await write('src/.hidden/.x');
      await write('lib/a\nb.txt');
      await write('.dot');
      git('mv', 'README.md', 'src/moved.md');
    });
    rig.offer({ scope: ['src/**', 'docs/*.md'] });
    const { delivery } = await finished();
    expect(delivery?.outsideScope).toEqual({
      files: 3,
      paths: ['.dot', 'README.md', 'lib/a?b.txt'],
    });
  });

  it('counts a renamed file once, as the size of the work does', async () => {
    agent(() => git('mv', 'README.md', 'READ.md'));
    rig.offer({ scope: ['src/**'] });
    expect((await finished()).delivery).toMatchObject({
      diffStat: { files: 1 },
      outsideScope: { files: 1, paths: ['READ.md'] },
    });
  });

  it('is named by its first 20 files, in short', async () => {
    agent(async () => {
      const names = Array.from({ length: 30 }, (_, index) => String(index + 10));
      for (const name of names) await write(`${name}/${'long/'.repeat(80)}file`);
    });
    rig.offer({ scope: ['src/**'] });
    const { paths = [], files } = (await finished()).delivery?.outsideScope ?? {};
    expect({ files, named: paths.map((path) => [path.split('/')[0], path.length]) }).toEqual({
      files: 30,
      named: Array.from({ length: 20 }, (_, index) => [String(index + 10), 300]),
    });
  });

  it('is none where every file is within, and nothing is told without a scope', async () => {
    agent(() => write('src/new.txt'));
    rig.offer({ scope: ['src/**'] });
    expect((await finished()).delivery?.outsideScope).toEqual({ files: 0, paths: [] });
    rig.offer({ attemptId: 'att_00000002' });
    const { delivery } = await finished('att_00000002@1');
    expect(delivery).not.toHaveProperty('outsideScope');
  });

  it('is told of work that was finished when its attempt was stopped', async () => {
    agent(() => write('new.txt'));
    const isWaiting = (): boolean =>
      rig.world.containers.commands.some(({ argv }) => argv.join(' ').includes('sleep 300'));
    const checks = [{ name: 'waits', command: 'sleep 300', timeoutMs: 600_000 }];
    rig.offer({ scope: ['src/**'], checks });
    await until('the check', isWaiting);
    rig.world.plane.say({
      type: 'cancel',
      attemptId: 'att_00000001',
      epoch: 1,
      reason: 'asked to',
      graceMs: 100,
    });
    const { delivery } = await finished();
    expect(delivery).toMatchObject({
      pushed: false,
      outsideScope: { files: 1, paths: ['new.txt'] },
    });
    expect(payloads('check')).toHaveLength(2);
  });
});
