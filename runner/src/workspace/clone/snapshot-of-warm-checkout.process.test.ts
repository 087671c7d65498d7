import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, statfs, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WorkIdentity } from '../../container/container-engine.ts';
import { openWorkspaces, type Workspaces } from '../open-workspaces.ts';
import { type PrepareInput, prepareWorkspace } from '../prepare-workspace.ts';
import { removeWorkspace } from '../remove-workspace.ts';
import type { WorkspaceFixture } from '../testing/workspace-fixture.ts';
import { makeWorkspaceFixture, testIdentity } from '../testing/workspace-fixture.ts';
import type { PreparedWorkspace } from '../workspace.ts';

const IMAGE_BYTES = 256 * 1024 * 1024;
const BTRFS_TYPE = 0x9123683e;

/** A file system of its own takes root, a free loop device and the tools of btrfs. */
function canMount(): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/dev/loop-control')) return false;
  return spawnSync('mkfs.btrfs', ['--version']).status === 0;
}

let fixture: WorkspaceFixture;
let mountPath: string;
beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
});
afterEach(() => fixture.dispose());

const prepare = (
  workspaces: Workspaces,
  identifier: string,
  more: Partial<PrepareInput> = {},
): Promise<PreparedWorkspace> =>
  prepareWorkspace(workspaces, {
    issue: { identifier, title: 'Fix it' },
    source: fixture.source,
    identity: testIdentity,
    nowMs: 1,
    ...more,
  });
const openIn = (folder: string, workIdentity: WorkIdentity = null): Promise<Workspaces> =>
  openWorkspaces({ rootPath: join(folder, 'root'), workIdentity, allowFolders: [fixture.folder] });

it('keeps a checkout ready only where the file system makes snapshots', async () => {
  const workspaces = await openIn(fixture.folder);
  const { type } = await statfs(fixture.folder);
  await prepare(workspaces, 'SY-1');
  expect((await readdir(workspaces.paths.root)).includes('warm')).toBe(type === BTRFS_TYPE);
});

describe.skipIf(!canMount())('a warm checkout on btrfs', () => {
  beforeEach(async () => {
    const imagePath = join(fixture.folder, 'disk.img');
    mountPath = join(fixture.folder, 'disk');
    await writeFile(imagePath, '');
    await truncate(imagePath, IMAGE_BYTES);
    await mkdir(mountPath);
    execFileSync('mkfs.btrfs', ['-q', imagePath]);
    execFileSync('mount', ['-o', 'loop', imagePath, mountPath]);
  });
  afterEach(() => execFileSync('umount', [mountPath]));

  /** Every checkout that stands ready, as path below the folder of all. */
  const warmOf = async ({ paths }: Workspaces): Promise<string[]> => {
    const repositories = await readdir(paths.warm ?? '');
    const ready = repositories.map(async (name) =>
      (await readdir(join(paths.warm ?? '', name))).map((commit) => join(name, commit)),
    );
    return (await Promise.all(ready)).flat();
  };

  it('gives each issue the files of its base, with a clean status', async () => {
    const workspaces = await openIn(mountPath);
    const [first, second] = await Promise.all(
      ['SY-1', 'SY-2'].map((identifier) => prepare(workspaces, identifier)),
    );
    for (const made of [first, second]) {
      const { path, branch, baseCommit } = made ?? ({} as PreparedWorkspace);
      const git = (...args: string[]): string => fixture.git(path, ...args).trim();
      expect(git('symbolic-ref', 'HEAD')).toBe(`refs/heads/${branch}`);
      expect(git('rev-parse', 'HEAD', 'main', 'origin/main', 'origin/HEAD').split('\n')).toEqual(
        Array.from({ length: 4 }, () => baseCommit),
      );
      expect(git('status', '--porcelain')).toBe('');
      expect(git('config', 'user.email')).toBe(testIdentity.email);
      expect(await warmOf(workspaces)).toEqual([expect.stringMatching(`/${baseCommit}$`)]);
    }
    await writeFile(join(first?.path ?? '', 'README.md'), 'changed\n');
    expect(await readFile(join(second?.path ?? '', 'README.md'), 'utf8')).toBe('hello\n');
    await removeWorkspace(workspaces, 'SY-1');
    expect(existsSync(first?.path ?? '')).toBe(false);
  });

  it('follows the base branch and keeps one checkout', async () => {
    const workspaces = await openIn(mountPath);
    await prepare(workspaces, 'SY-1');
    const commit = await fixture.commitOnRemote('main', {
      'later.txt': 'x\n',
      'README.md': 'new\n',
    });
    fixture.git(join(fixture.folder, 'author'), 'rm', '-q', 'src/app.txt');
    const newest = await fixture.commitOnRemote('main', {}, 'without a file');
    expect(newest).not.toBe(commit);
    const made = await prepare(workspaces, 'SY-2');
    expect(made.baseCommit).toBe(newest);
    expect(await readdir(made.path)).toEqual(['.git', 'README.md', 'later.txt']);
    expect(fixture.git(made.path, 'status', '--porcelain')).toBe('');
    expect(await warmOf(workspaces)).toEqual([expect.stringMatching(`/${newest}$`)]);
  });

  it('begins from earlier work, and anew when what stands ready is damaged', async () => {
    const workspaces = await openIn(mountPath);
    await prepare(workspaces, 'SY-1');
    const work = await fixture.commitOnRemote('switchyard/sy-2', { 'w.txt': 'w\n' });
    const made = await prepare(workspaces, 'SY-2', { startCommit: work });
    expect(fixture.git(made.path, 'rev-parse', 'HEAD').trim()).toBe(work);
    expect(fixture.git(made.path, 'status', '--porcelain')).toBe('');
    const [ready = ''] = await warmOf(workspaces);
    const folder = join(workspaces.paths.warm ?? '', ready);
    await writeFile(join(folder, '.git', 'index'), 'damaged');
    await fixture.commitOnRemote('main', { 'later.txt': 'x\n' });
    const later = await prepare(workspaces, 'SY-3');
    expect(existsSync(join(later.path, 'later.txt'))).toBe(true);
    expect(fixture.git(later.path, 'status', '--porcelain')).toBe('');
  });

  it('gives the files to the user of the containers', async () => {
    const workspaces = await openIn(mountPath, { uid: 12_345, gid: 12_345 });
    const { path } = await prepare(workspaces, 'SY-1');
    const owned = execFileSync('find', [path, '!', '-uid', '12345'], { encoding: 'utf8' });
    expect(owned).toBe('');
    // A status that reads files again would change the index.
    const indexPath = join(path, '.git', 'index');
    const before = await readFile(indexPath);
    fixture.git(path, '-c', 'safe.directory=*', 'status', '--porcelain');
    expect(await readFile(indexPath)).toEqual(before);
  });
});
