import { execFileSync } from 'node:child_process';
import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeRepository } from '../workspace/testing/submodule-fixture.ts';
import type { FakeTurn } from './testing/fake-engine.ts';
import { limits, useHost } from './testing/use-host.ts';

const rig = useHost();
const { finished, payloads, workspace } = rig;

const at = (name: string): string => join(workspace(), name);
const git = (...args: string[]): string => rig.world.fixture.git(workspace(), ...args).trim();
const edit = (name: string, text = `${name}\n`): Promise<void> =>
  rig.world.fixture.write(at(name), text);
async function repositoryIn(name: string): Promise<void> {
  await edit(`${name}/x`);
  rig.world.fixture.git(at(name), 'init', '-q');
}
async function commit(name: string, text?: string): Promise<void> {
  await edit(name, text);
  git('add', '-A');
  git('commit', '-qm', `change ${name}`);
}
const closed = async (name: string, mode = 0): Promise<void> => chmod(at(name), mode);
const backToBase = (): string =>
  git('reset', '-q', '--soft', /reset --soft ([0-9a-f]{40})/.exec(told(2))?.[1] ?? '');

/** An agent that works in its first turn, mends at the second, and always says that it is done. */
function agent(work: () => Promise<void>, mend?: () => Promise<unknown>): void {
  rig.world.engine.script = async (turn: FakeTurn) => {
    if (turn.number === 1) await Promise.all([edit('work.txt'), work()]);
    if (turn.number === 2) await mend?.();
    turn.message('Finished.\n\nSWITCHYARD_STATUS: DONE');
    turn.end();
  };
  rig.offer({ limits: { ...limits, maxTurns: 8 } });
}
const turns = (): FakeTurn[] => rig.world.engine.sessions.at(-1)?.turns ?? [];
const told = (turn: number): string => turns()[turn - 1]?.input.text ?? '';
const delivered = (branch = ''): string[] =>
  rig.world.fixture
    .git(rig.world.fixture.remotePath, 'ls-tree', '-r', '-z', '--name-only', branch)
    .split('\0');

const toldOf = (words: string): number[] =>
  turns().flatMap(({ number }) => (told(number).includes(words) ? [number] : []));

/** How it ended, and in which turns the agent was told of these words. */
async function refusal(words: string) {
  const { failureKind, reasonCode, message, delivery } = await finished();
  const branches = rig.world.fixture.git(rig.world.fixture.remotePath, 'branch', '--list');
  return {
    failureKind,
    reasonCode,
    delivery,
    turns: turns().length,
    toldIn: toldOf(words),
    isNamed: message?.includes(words),
    isPushed: branches.includes('switchyard/'),
  };
}
/** It was told three times; then nothing was delivered and nothing is to be. */
const REFUSED = {
  failureKind: 'delivery_refused',
  reasonCode: 'work_refused',
  delivery: undefined,
  turns: 4,
  toldIn: [2, 3, 4],
  isNamed: true,
  isPushed: false,
};

async function mended(words: string) {
  const { outcome, delivery } = await finished();
  return { outcome, toldIn: toldOf(words), files: delivered(delivery?.branch) };
}
const deliveredWith = (...files: string[]) => ({
  outcome: 'completed',
  toldIn: [2],
  files: expect.arrayContaining(['work.txt', ...files]) as string[],
});

describe('an agent whose work git cannot take whole', { timeout: 60_000 }, () => {
  it('is told of a repository inside, and delivers its files once that is none', async () => {
    const work = async () => {
      await repositoryIn('nested');
      rig.world.fixture.git(at('nested'), 'commit', '-q', '--allow-empty', '-m', 'x');
    };
    agent(work, () => rm(at('nested/.git'), { recursive: true }));
    expect(await mended('- nested has a .git of its own')).toEqual(deliveredWith('nested/x'));
  });

  it('is told of one under a name that git quotes, and delivers it beside a submodule', async () => {
    const work = async () => {
      await repositoryIn('my "app"');
      const { fixture } = rig.world;
      await makeRepository(fixture, 'sub', { 'sub.txt': 'sub\n' });
      const url = `file://${join(fixture.folder, 'sub.git')}`;
      git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', '--', url, 'サブ');
      await chmod(at('README.md'), 0o755);
    };
    agent(work, () => rm(at('my "app"/.git'), { recursive: true }));
    expect(await mended('- my "app" has a .git of its own')).toEqual(
      deliveredWith('my "app"/x', 'サブ', '.gitmodules'),
    );
    expect((await finished()).delivery?.diffStat).toMatchObject({
      modeChanges: [{ path: 'README.md', from: '100644', to: '100755' }],
    });
  });

  it('is told of a repository without a commit, and may ignore it', async () => {
    agent(
      () => repositoryIn('empty'),
      () => edit('.gitignore', 'empty/\n'),
    );
    expect(await mended('- empty has a .git of its own')).toEqual(deliveredWith('.gitignore'));
  });

  it('is told of a linked worktree, and may remove it', async () => {
    agent(
      async () => void git('worktree', 'add', '-q', '-b', 'aside', at('tree')),
      async () => git('worktree', 'remove', '--force', at('tree')),
    );
    expect(await mended('- tree has a .git of its own')).toEqual(deliveredWith());
  });

  it('is told of a file that cannot be read, and delivers it once it can', async () => {
    const work = () => edit('secret').then(() => closed('secret'));
    agent(work, () => closed('secret', 0o644));
    expect(await mended('- secret cannot be read')).toEqual(deliveredWith('secret'));
  });

  it('is told of a folder that cannot be read, and delivers it once it can', async () => {
    const work = () => edit('locked/x').then(() => closed('locked'));
    agent(work, () => closed('locked', 0o755));
    expect(await mended('- locked/ cannot be read')).toEqual(deliveredWith('locked/x'));
  });

  it('is told three times of a repository inside, and then stopped for good', async () => {
    agent(() => repositoryIn('nested'));
    expect(await refusal('nested has a .git of its own')).toEqual(REFUSED);
    const last = payloads('snapshot').at(-1);
    expect(last, 'everything else is kept').toMatchObject({ diffStat: { files: 1 } });
  });

  it('is told three times of what cannot be read, and then stopped for good', async () => {
    agent(() => edit('secret').then(() => closed('secret')));
    expect(await refusal('secret cannot be read')).toEqual(REFUSED);
  });
});

describe('an agent whose work cannot be taken at all', { timeout: 60_000 }, () => {
  it('is told what git says of a required filter that fails', async () => {
    agent(async () => {
      git('config', 'filter.broken.clean', 'false');
      git('config', 'filter.broken.required', 'true');
      await edit('.gitattributes', '*.bin filter=broken\n');
      await edit('a.bin');
    });
    expect(await refusal("a.bin: clean filter 'broken' failed")).toEqual(REFUSED);
  });

  /** As if the limit were 64 KiB. */
  const limitBundles = (): void => {
    rig.world.containers.prepareCommand = (spec) =>
      spec.purpose === 'snapshot' ? { ...spec, maxOutputBytes: 65_536 } : spec;
  };
  const large = async (): Promise<void> => {
    execFileSync('dd', ['if=/dev/urandom', `of=${at('big')}`, 'bs=64k', 'count=4'], {
      stdio: 'ignore',
    });
  };

  it('is told three times that it is too large, and then stopped for good', async () => {
    limitBundles();
    agent(large);
    expect(await refusal('the work is larger than 256 MiB')).toEqual(REFUSED);
  });

  it('delivers once what is too large is in no commit any more', async () => {
    limitBundles();
    agent(large, async () => {
      backToBase();
      git('rm', '-qf', 'big');
      git('commit', '-qm', 'without it');
    });
    expect(await mended('the work is larger than 256 MiB')).toEqual(deliveredWith());
  });

  it('is told of a limit that its history is beyond', async () => {
    agent(async () => {
      await commit('a.txt');
      const run = (args: string[], input: string): string =>
        execFileSync('git', args, { cwd: workspace(), encoding: 'utf8', input }).trim();
      const ten = (line: (number: number) => string): string =>
        Array.from({ length: 10 }, (_, number) => `${line(number)}\n`).join('');
      const blob = run(['hash-object', '-w', '--stdin'], 'x');
      let tree = run(
        ['mktree'],
        ten((number) => `100644 blob ${blob}\tf${number}`),
      );
      for (let level = 0; level < 7; level += 1) {
        const inner = tree;
        tree = run(
          ['mktree'],
          ten((number) => `040000 tree ${inner}\td${number}`),
        );
      }
      const bomb = git('commit-tree', '-p', 'HEAD', '-m', 'bomb', tree);
      git('update-ref', 'HEAD', git('commit-tree', '-p', bomb, '-m', 'work', 'HEAD^{tree}'));
    });
    expect(await refusal('a commit has 111,111,110 files and folders')).toEqual(REFUSED);
  });

  it('is told three times of a protected file, and then stopped for good', async () => {
    agent(() => edit('.github/workflows/deploy.yml', 'on: push\n'));
    expect(await refusal('.github/workflows/deploy.yml')).toEqual(REFUSED);
  });
});

describe('work that the machine cannot collect', { timeout: 60_000 }, () => {
  /** The first so many snapshots after the agent's end fail. */
  function breakSnapshots(count: number): void {
    let left = count;
    rig.world.containers.prepareCommand = (spec) => {
      if (spec.purpose === 'snapshot' && spec.argv.at(-1) === 'yes') {
        left -= 1;
        if (left >= 0) throw new Error('the daemon does not answer');
      }
      return spec;
    };
  }
  const triedAgain = () =>
    payloads('notice').filter(({ message }) => String(message).includes('is tried again'));

  it('is delivered when the third try works, without a word to the agent', async () => {
    breakSnapshots(2);
    agent(async () => undefined);
    const { outcome, delivery } = await finished();
    expect(outcome).toBe('completed');
    expect(delivered(delivery?.branch)).toContain('work.txt');
    expect(turns()).toHaveLength(1);
    expect(triedAgain()).toHaveLength(2);
  });

  it('ends as trouble of the workspace after the third try, and may be tried by another', async () => {
    breakSnapshots(Infinity);
    agent(async () => undefined);
    expect(await finished()).toMatchObject({
      outcome: 'failed',
      failureKind: 'workspace_error',
      message: expect.stringContaining('the daemon does not answer') as string,
    });
    expect(triedAgain()).toHaveLength(2);
  });
});
