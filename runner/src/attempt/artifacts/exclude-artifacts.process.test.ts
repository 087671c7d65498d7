import { lstat, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useHost } from '../testing/use-host.ts';

const rig = useHost();
const { finished, payloads, workspace } = rig;

const SECOND = 'att_00000002';
const info = (...names: string[]) => join(workspace(), '.git/info', ...names);
const rules = async () => (await readFile(info('exclude'), 'utf8')).split('\n');
const status = () => rig.world.fixture.git(workspace(), 'status', '--porcelain').trim();
const write = (name: string, text = 'x\n') =>
  rig.world.fixture.write(join(workspace(), name), text);
const warnings = (key?: string) =>
  payloads('notice', key).filter(({ level }) => level === 'warning');

function agent(...works: (() => unknown)[]): void {
  rig.world.engine.script = async (turn) => {
    await works.shift()?.();
    turn.message('Finished.\n\nSWITCHYARD_STATUS: DONE');
    turn.end();
  };
}

/** A second attempt in the workspace that the first one left. */
async function twice(first: () => unknown, artifacts: (string | undefined)[]): Promise<void> {
  const of = (folder: string | undefined) => (folder === undefined ? {} : { artifacts: folder });
  const isExcluded = (): void => {
    seen = status();
  };
  agent(async () => {
    await write('out/a.txt');
    await first();
  }, isExcluded);
  rig.offer(of(artifacts[0]));
  await finished();
  rig.offer({ attemptId: SECOND, ...of(artifacts[1]) });
  await finished(`${SECOND}@1`);
}
let seen = '';

describe('a workspace that is used again', { timeout: 60_000 }, () => {
  it('leaves the folder out of commits by one rule, behind those of others', async () => {
    await twice(
      async () =>
        writeFile(info('exclude'), `*.tmp\n${(await rules()).join('\n')}!/out/\n\xff\n`, 'latin1'),
      ['out', 'out'],
    );
    expect(seen).toBe('');
    expect((await rules()).filter((line) => line === '/out/')).toHaveLength(1);
    expect((await rules()).at(-2)).toBe('/out/');
    expect(await readFile(info('exclude'), 'latin1')).toContain('*.tmp\n!/out/\n\xff\n');
    expect(payloads('artifacts', `${SECOND}@1`)).toHaveLength(1);
  });

  it('has a folder in its commits that is declared no more', async () => {
    await twice(() => undefined, ['out', 'other']);
    expect((await rules()).filter((line) => line.startsWith('/'))).toEqual(['/other/']);
    expect(seen).toBe('?? out/');
  });

  it('has every folder in its commits where none is declared any more', async () => {
    await twice(() => undefined, ['out', undefined]);
    expect(await rules()).toEqual(['']);
    expect(seen).toBe('?? out/');
  });

  it.each([
    ['a link in the place of the file', 'exclude'],
    ['a link in the place of its folder', ''],
  ])('is not written through %s', async (_what, name) => {
    const ours = join(rig.world.fixture.folder, 'ours');
    await rig.world.fixture.write(join(ours, 'exclude'), 'of the host\n');
    await twice(async () => {
      await rm(info(name), { recursive: true });
      await symlink(join(ours, name), info(name).replace(/\/$/, ''));
    }, ['out', 'out']);
    expect(await readFile(join(ours, 'exclude'), 'utf8')).toBe('of the host\n');
    expect(await rules()).toContain('/out/');
    expect((await lstat(info('exclude'))).isFile()).toBe(true);
    expect(seen).toBe('');
    expect(warnings(`${SECOND}@1`)).toEqual([]);
  });

  it.each([
    ['a folder', () => mkdir(info('exclude', 'inner'), { recursive: true })],
    ['a huge file', () => writeFile(info('exclude'), 'x\n'.repeat(2_000_000))],
  ])('has its rule in the place of %s', async (_what, put) => {
    await twice(async () => {
      await rm(info('exclude'));
      await put();
    }, ['out', 'out']);
    expect((await rules()).slice(-2)).toEqual(['/out/', '']);
    expect((await rules()).length).toBeLessThan(10);
    expect(seen).toBe('');
  });
});

describe('a clone that a hook makes', { timeout: 60_000 }, () => {
  it('leaves the folder out of commits as well', async () => {
    agent(() => Promise.all([write('out/a.txt'), write('new.txt')]));
    rig.offer({
      artifacts: 'out',
      hooks: { afterCreate: `git clone -q ${rig.world.fixture.source.url} .`, beforeRun: 'true' },
    });
    expect(await finished()).toMatchObject({ delivery: { diffStat: { files: 1 } } });
    expect(payloads('artifacts')).toHaveLength(1);
  });

  it('is worked in all the same where that cannot be done, which is said', async () => {
    const { containers } = rig.world;
    containers.prepareCommand = (spec) => {
      const { purpose, argv } = spec;
      const isLast = purpose === 'adopt-clone' && argv.includes('main');
      const script = `${argv[2]}\nmv .git moved && ln -s moved .git`;
      return isLast ? { ...spec, argv: ['sh', '-c', script, ...argv.slice(3)] } : spec;
    };
    agent(async () => {
      await rm(join(workspace(), '.git'));
      await rename(join(workspace(), 'moved'), join(workspace(), '.git'));
      await write('out/a.txt');
    });
    const afterCreate = `git clone -q ${rig.world.fixture.source.url} .`;
    rig.offer({ artifacts: 'out', hooks: { afterCreate } });
    const { outcome, delivery } = await finished();
    expect({ outcome, files: delivery?.diffStat.files }).toEqual({
      outcome: 'completed',
      files: 1,
    });
    expect(warnings()).toMatchObject([
      { message: expect.stringContaining('files in out may get into commits') as string },
    ]);
    expect(payloads('artifacts')).toHaveLength(1);
  });
});
