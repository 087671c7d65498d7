import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import {
  appendFile,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pushBranch } from '../../branches/push-branch.ts';
import { updateMirror } from '../../mirror/mirror.ts';
import { openWorkspaces, type Workspaces } from '../../open-workspaces.ts';
import { gatedGit } from '../../testing/gated-git.ts';
import { prepareWorkspace } from '../../prepare-workspace.ts';
import {
  makeWorkspaceFixture,
  testIdentity,
  type WorkspaceFixture,
} from '../../testing/workspace-fixture.ts';

const PARTS = [
  'pointer',
  'linked',
  'borrows.git',
  'borrows-again.git',
  'objects.git',
  'common.git',
];
const BRANCH = 'switchyard/sy-1-fix';
let fixture: WorkspaceFixture;
/** The folder that the operator names. */
let allowed: string;
let workspaces: Workspaces;
beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
  allowed = join(fixture.folder, 'allowed');
  await mkdir(allowed);
  await rename(fixture.remotePath, at('app.git'));
  workspaces = await open();
});
afterEach(() => fixture.dispose());

const at = (...names: string[]) => join(allowed, ...names);
const inRunner = (...names: string[]) => join(fixture.folder, 'data', ...names);
const open = (gitPath = 'git') =>
  openWorkspaces({
    rootPath: inRunner('work'),
    dataPath: inRunner(),
    allowFolders: [allowed],
    workIdentity: null,
    gitPath,
  });
const git = (cwd: string, ...args: string[]) => fixture.git(cwd, ...args);
const fetched = async (path: string) =>
  (await updateMirror(workspaces, { url: `file://${path}` })).path;
const refused = (words: string | RegExp) =>
  expect.objectContaining({
    code: 'repository_refused',
    message: expect.stringMatching(words),
  });
const isRefused = async (path: string, words: string | RegExp) => {
  await expect(fetched(path), path).rejects.toEqual(refused(words));
};
/** A bare copy of the repository, as an agent could make one in any folder that it writes. */
async function copyAt(path: string): Promise<string> {
  git(fixture.folder, 'clone', '-q', '--bare', at('app.git'), path);
  return path;
}
async function hook(repository: string, name: string, script: string): Promise<void> {
  const path = join(repository, 'hooks', name);
  await fixture.write(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}
async function push(path: string): Promise<void> {
  const mirrorPath = await fetched(at('app.git'));
  const commitSha = git(mirrorPath, 'rev-parse', 'main').trim();
  const to = { repositoryUrl: `file://${path}`, branch: BRANCH, expectedSha: null };
  await pushBranch(workspaces, { ...to, mirrorPath, commitSha });
}

/** With another home folder of the user of this runner. */
async function withHome(work: (home: string) => Promise<void>, given?: string): Promise<void> {
  const home = given ?? (await realpath(await mkdtemp(join(tmpdir(), 'swy-home-'))));
  const before = process.env['HOME'];
  process.env['HOME'] = home;
  process.env['SWITCHYARD_JOIN_TOKEN'] = 'enr_secret';
  try {
    workspaces = await open();
    await work(home);
  } finally {
    delete process.env['SWITCHYARD_JOIN_TOKEN'];
    if (before === undefined) delete process.env['HOME'];
    else process.env['HOME'] = before;
    await rm(home, { recursive: true, force: true });
  }
}

describe('a repository on this host', { timeout: 60_000 }, () => {
  it('is reached below folders that the operator named, however its path is written', async () => {
    await symlink(at('app.git'), join(fixture.folder, 'detour'));
    await symlink(allowed, join(fixture.folder, 'folder'));
    git(allowed, 'clone', '-q', at('app.git'), 'with-work-tree');
    git(at('with-work-tree'), 'worktree', 'add', '-q', '--detach', at('linked'));
    await symlink(at('with-work-tree', '.git'), at('app.git', 'linked.git'));
    for (const path of [
      at('app.git'),
      join(fixture.folder, 'detour'),
      join(fixture.folder, 'folder', 'app.git'),
      at('with-work-tree'),
      at('with-work-tree', '.git'),
    ])
      expect(git(await fetched(path), 'log', '-1', '--format=%s', 'main').trim()).toBe('First');
    const linked = { url: `file://${at('linked')}`, defaultBranch: 'main' };
    expect(git((await updateMirror(workspaces, linked)).path, 'rev-parse', 'main')).not.toBe('');
  });

  it('is refused elsewhere, with what the operator can do, also when it is pushed to', async () => {
    const outside = await copyAt(join(fixture.folder, 'outside.git'));
    await symlink(outside, at('way-out'));
    const words = new RegExp(
      `\\(${allowed}\\): its operator can start it with --allow-folder ${allowed} ${fixture.folder}$`,
    );
    await isRefused(outside, words);
    await isRefused(at('way-out'), words);
    await isRefused(`${allowed}/../outside.git`, words);
    await expect(push(outside)).rejects.toEqual(refused(words));
    await isRefused('/app.git', new RegExp(`--allow-folder ${allowed} /app\\.git$`));
    await copyAt(at('part.git'));
    await rename(at('part.git', 'config'), join(fixture.folder, 'config'));
    await symlink(join(fixture.folder, 'config'), at('part.git', 'config'));
    await isRefused(at('part.git'), new RegExp(`--allow-folder ${allowed} ${fixture.folder}$`));
    await isRefused('/proc/self/root/tmp/x', 'never a repository');
    await isRefused(`/proc/${process.pid}/cwd`, 'never a repository');
  });

  it('is refused where agents write, also when an allowed folder holds that', async () => {
    const own = await openWorkspaces({
      rootPath: inRunner('work'),
      dataPath: inRunner(),
      workIdentity: null,
      allowFolders: [fixture.folder],
    });
    const agentMade = await copyAt(inRunner('homes', 'SY-1', 'app.git'));
    const other = join(fixture.folder, 'other-runner');
    await copyAt(join(other, 'sessions', 'app.git'));
    for (const name of ['identity.json', 'spool.db']) await writeFile(join(other, name), '');
    await symlink(agentMade, at('link.git'));
    for (const path of [agentMade, join(other, 'sessions', 'app.git'), at('link.git')])
      await expect(updateMirror(own, { url: `file://${path}` }), path).rejects.toEqual(
        refused('folder of a runner'),
      );
    await updateMirror(own, { url: `file://${at('app.git')}` });
  });

  it('is refused before work on it goes on, once its folder is allowed no more', async () => {
    const issue = { identifier: 'SY-1', title: 'Fix it' };
    const source = { url: `file://${at('app.git')}` };
    const input = { issue, source, identity: testIdentity, nowMs: 1 };
    await prepareWorkspace(workspaces, input);
    const narrowed = await openWorkspaces({
      rootPath: inRunner('work'),
      dataPath: inRunner(),
      workIdentity: null,
      allowFolders: [],
    });
    await expect(prepareWorkspace(narrowed, input)).rejects.toEqual(refused(allowed));
  });

  it('is refused when a part of it lies where agents write', async () => {
    const agentMade = await copyAt(inRunner('homes', 'app.git'));
    await mkdir(at('pointer'));
    await writeFile(at('pointer', '.git'), `gitdir: ${agentMade}\n`);
    await mkdir(at('linked'));
    await symlink(agentMade, at('linked', '.git'));
    git(allowed, 'clone', '-q', '--bare', '--shared', agentMade, 'borrows.git');
    git(allowed, 'clone', '-q', '--bare', '--shared', at('borrows.git'), 'borrows-again.git');
    await copyAt(at('objects.git'));
    await rm(at('objects.git', 'objects'), { recursive: true });
    await symlink(join(agentMade, 'objects'), at('objects.git', 'objects'));
    await copyAt(at('common.git'));
    await writeFile(at('common.git', 'commondir'), agentMade);
    for (const name of PARTS)
      await expect(fetched(at(name)), name).rejects.toEqual(refused('folder of a runner'));
  });

  it('is not pushed to when its hooks or settings lie where agents write', async () => {
    const ran = join(fixture.folder, 'ran');
    const agentMade = await copyAt(inRunner('homes', 'app.git'));
    await hook(agentMade, 'pre-receive', `touch ${ran}`);
    git(at('app.git'), 'config', 'core.hooksPath', join(agentMade, 'hooks'));
    await expect(push(at('app.git'))).rejects.toEqual(refused('folder of a runner'));
    git(at('app.git'), 'config', '--unset', 'core.hooksPath');
    await writeFile(join(agentMade, 'more'), '[core]\n\tsshCommand = touch\n');
    git(at('app.git'), 'config', 'include.path', join(agentMade, 'more'));
    await expect(push(at('app.git'))).rejects.toEqual(refused('folder of a runner'));
    git(at('app.git'), 'config', '--unset', 'include.path');
    await rm(at('app.git', 'hooks', 'pre-receive'), { force: true });
    await mkdir(at('app.git', 'hooks'), { recursive: true });
    await symlink(join(agentMade, 'hooks', 'pre-receive'), at('app.git', 'hooks', 'pre-receive'));
    await expect(push(at('app.git'))).rejects.toEqual(refused('folder of a runner'));
    await expect(readFile(ran)).rejects.toThrow('ENOENT');
  });

  it('is refused when a link and dots behind it lead where agents write', async () => {
    const ran = join(fixture.folder, 'ran');
    const agentMade = await copyAt(inRunner('homes', 'app.git'));
    await hook(agentMade, 'post-receive', `touch ${ran}`);
    await writeFile(inRunner('homes', 'more'), '[team]\n\tname = evil\n');
    await mkdir(inRunner('homes', 'inner'));
    await symlink(inRunner('homes', 'inner'), at('detour'));
    await copyAt(at('common.git'));
    await writeFile(at('common.git', 'commondir'), '../detour/../app.git\n');
    await isRefused(at('common.git'), 'folder of a runner');
    for (const [name, value] of [
      ['core.hooksPath', '../detour/../app.git/hooks'],
      ['include.path', '../detour/../more'],
    ] as const) {
      git(at('app.git'), 'config', name, value);
      await expect(push(at('app.git')), name).rejects.toEqual(refused('folder of a runner'));
      git(at('app.git'), 'config', '--unset', name);
    }
    await expect(readFile(ran)).rejects.toThrow('ENOENT');
  });

  it.runIf(process.platform === 'linux')('is refused when git would wait for a pipe', async () => {
    await rm(at('app.git', 'HEAD'));
    execFileSync('mkfifo', [at('app.git', 'HEAD')]);
    await expect(fetched(at('app.git'))).rejects.toEqual(refused('no plain file'));
  });

  it('is refused when it names files by what is no text', async () => {
    await mkdir(inRunner('homes'), { recursive: true });
    const more = Buffer.concat([Buffer.from(inRunner('homes', 'more')), Buffer.of(0xff)]);
    await writeFile(more, '[team]\n\tname = evil\n');
    const include = [Buffer.from('[include]\n\tpath = '), more, Buffer.from('\n')];
    await appendFile(at('app.git', 'config'), Buffer.concat(include));
    await expect(push(at('app.git'))).rejects.toEqual(refused('no text'));
  });

  it.each(['core.hooksPath', 'a hook'])('may have %s lead to /dev/null', async (what) => {
    await mkdir(at('app.git', 'hooks'), { recursive: true });
    if (what === 'a hook') await symlink('/dev/null', at('app.git', 'hooks', 'pre-receive'));
    else git(at('app.git'), 'config', what, '/dev/null');
    await push(at('app.git'));
    expect(git(at('app.git'), 'rev-parse', BRANCH)).toBe(git(at('app.git'), 'rev-parse', 'main'));
  });

  it.runIf(process.platform === 'linux')(
    'is the one that was looked at, whatever takes its name meanwhile',
    async () => {
      const evil = await copyAt(join(fixture.folder, 'evil.git'));
      git(evil, 'branch', 'evil', 'main');
      const gated = await gatedGit(fixture.folder);
      workspaces = await open(gated.gitPath);
      const { reached, letGo } = await gated.hold('fetch');
      const source = { url: `file://${at('app.git')}`, defaultBranch: 'main' };
      const fetching = updateMirror(workspaces, source);
      await reached;
      await rename(at('app.git'), at('aside.git'));
      await symlink(evil, at('app.git'));
      await letGo();
      const { path } = await fetching;
      const branches = git(path, 'for-each-ref', '--format=%(refname)', 'refs/heads');
      expect(branches.trim()).toBe('refs/heads/main');
    },
  );

  it('lies below no folder whose name was left empty', async () => {
    const opening = openWorkspaces({
      rootPath: inRunner('work'),
      dataPath: inRunner(),
      workIdentity: null,
      allowFolders: [''],
    });
    await expect(opening).rejects.toMatchObject({ name: 'BadFolder' });
  });

  it('is refused when another folder took the place of the allowed one', async () => {
    await copyAt(join(fixture.folder, 'made', 'app.git'));
    await rename(allowed, join(fixture.folder, 'aside'));
    await rename(join(fixture.folder, 'made'), allowed);
    await expect(fetched(at('app.git'))).rejects.toEqual(refused('restart the runner'));
  });
});

describe.runIf(process.getuid?.() === 0)(
  'a repository of another user',
  { timeout: 60_000 },
  () => {
    it('is read, and pushed to once the user of the runner trusts it: its hooks run', async () => {
      const ran = join(fixture.folder, 'ran');
      await hook(at('app.git'), 'post-receive', `touch ${ran}`);
      execFileSync('chown', ['-R', '12345:12345', at('app.git')]);
      await withHome(async (home) => {
        await fetched(at('app.git'));
        await expect(push(at('app.git'))).rejects.toEqual(
          refused(`safe.directory ${at('app.git')}`),
        );
        await expect(readFile(ran)).rejects.toThrow('ENOENT');
        await writeFile(join(home, '.gitconfig'), `[safe]\n\tdirectory = ${at('app.git')}\n`);
        await push(at('app.git'));
        expect(await readFile(ran, 'utf8')).toBe('');
      });
    });

    it('is pushed to when all of a folder is trusted, as newer git reads it', async () => {
      execFileSync('chown', ['-R', '12345:12345', at('app.git')]);
      await withHome(async (home) => {
        const trust = (folder: string) =>
          writeFile(join(home, '.gitconfig'), `[safe]\n\tdirectory = ${folder}/*\n`);
        await trust(`${allowed}/app`);
        await expect(push(at('app.git'))).rejects.toEqual(refused('safe.directory'));
        await trust(allowed);
        await push(at('app.git'));
      });
    });
  },
);

describe('the owner of a repository on this host', { timeout: 60_000 }, () => {
  it('may have a home folder that is the data folder of the runner', async () => {
    const work = async (home: string) => {
      await writeFile(join(home, '.gitconfig'), '[team]\n\tname = blue\n');
      await push(at('app.git'));
      expect(git(at('app.git'), 'rev-parse', BRANCH)).toBe(git(at('app.git'), 'rev-parse', 'main'));
    };
    await withHome(work, inRunner());
  });

  it('keeps the say: hooks run, and refuse', async () => {
    await hook(at('app.git'), 'pre-receive', 'echo "not on Fridays" >&2; exit 1');
    await expect(push(at('app.git'))).rejects.toMatchObject({
      code: 'push_refused',
      message: expect.stringContaining('not on Fridays'),
    });
  });

  it('has hooks run as in a push of its own: with its settings, and none of ours', async () => {
    await withHome(async (home) => {
      await writeFile(join(home, '.gitconfig'), '[team]\n\tname = blue\n');
      const seen = join(fixture.folder, 'seen');
      const script = `{ env; pwd; echo team=$(git config team.name); } >${seen}`;
      await hook(at('app.git'), 'post-receive', script);
      await push(at('app.git'));
      const text = await readFile(seen, 'utf8');
      expect(text).toContain(`\nHOME=${home}\n`);
      expect(text).toContain('team=blue\n');
      expect(text).toContain(`\n${at('app.git')}\n`);
      expect(text).not.toMatch(
        /GIT_CONFIG|GIT_ASKPASS|GIT_SSH|GIT_TERMINAL|GIT_ALLOW|GIT_NO_REPLACE|SWITCHYARD/,
      );
    });
  });
});
