import { execFileSync } from 'node:child_process';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  makeWorkspaceFixture,
  testIdentity,
  type WorkspaceFixture,
} from '../testing/workspace-fixture.ts';
import type { WorkspaceError } from '../workspace.ts';
import { gitContext } from './git-context.ts';
import { mergeBranch } from './merge-branch.ts';
import { addressOfPath } from '../git/repository-url.ts';

const BRANCH = 'switchyard/sy-1';
let fixture: WorkspaceFixture;
/** A clone as people work in it. */
let copy: string;
beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
  await fixture.commitOnRemote(BRANCH, { 'a.txt': 'a\n' });
  copy = join(await realpath(fixture.folder), 'copy');
  fixture.git(fixture.folder, 'clone', '-q', fixture.remotePath, copy);
  fixture.git(copy, 'branch', '-q', BRANCH, `origin/${BRANCH}`);
});
afterEach(() => fixture.dispose());

const look = async (path: string, defaultBranch?: string) =>
  (
    await gitContext(fixture.workspaces, {
      url: `file://${path}`,
      ...(defaultBranch === undefined ? {} : { defaultBranch }),
    })
  ).hindrance;
const merge = () =>
  mergeBranch(fixture.workspaces, {
    source: { url: `file://${copy}` },
    base: 'main',
    branch: BRANCH,
    message: 'Merge',
    identity: testIdentity,
  });
const refusal = () =>
  merge().then(
    () => null,
    ({ code, message }: WorkspaceError) => ({ code, message }),
  );

describe('a working copy as the repository', { timeout: 60_000 }, () => {
  it('is told apart from a bare one before any work, with commands that mend it', async () => {
    expect(await look(fixture.remotePath)).toBeNull();
    const found = await look(copy);
    expect(found).toMatchObject({ of: 'merge', message: expect.stringContaining(copy) });
    expect(await look(join(copy, '.git'))).toEqual(found);
    expect(await look(copy, BRANCH)).toBeNull();
    const commands = (found?.commands ?? []).map(({ command }) => command);
    expect(commands).toHaveLength(2);
    for (const command of commands) {
      // Older control planes know the message alone; who shows commands does not say them twice.
      expect(found?.message).toContain(`: ${command}`);
      expect(found?.summary).not.toContain(command);
    }
    const [update = '', bare = ''] = commands;
    execFileSync('sh', ['-c', bare], { stdio: 'ignore' });
    expect(await look(`${copy}.git`)).toBeNull();
    expect((await refusal())?.code).toBe('push_refused');
    execFileSync('sh', ['-c', update]);
    expect(await look(copy)).toBeNull();
    expect(await refusal()).toBeNull();
    expect(fixture.git(copy, 'status', '--porcelain')).toBe('');
    expect(fixture.git(copy, 'log', '-1', '--format=%s').trim()).toBe('Merge');
  });

  it('is told also where the branch is checked out in a further folder', async () => {
    const folder = join(await realpath(fixture.folder), 'it is here');
    fixture.git(fixture.remotePath, 'worktree', 'add', '-q', folder, 'main');
    const message = expect.stringContaining(`git -C '${folder}' config`);
    expect(await look(fixture.remotePath)).toMatchObject({ of: 'merge', message });
  });

  it('refuses a merge in one sentence that says what to do', async () => {
    const { message = '' } = (await refusal()) ?? {};
    expect(message).toBe((await look(copy))?.message);
    expect(message).toMatch(new RegExp(`^main is checked out in ${copy}, .*"Merge" fails`));
    expect(message).toContain(`git -C ${copy} config receive.denyCurrentBranch updateInstead`);
    expect(message).not.toMatch(/\n|remote:/);
    fixture.git(copy, 'config', 'receive.denyCurrentBranch', 'updateInstead');
    await writeFile(join(copy, 'README.md'), 'half a thought\n');
    const dirty = await refusal();
    expect(dirty).toMatchObject({
      code: 'push_refused',
      message: expect.stringMatching(/^the remote refused main: .*commit or stash .*$/),
    });
  });

  it('is a trouble of pushes where its hooks belong to somebody whom nobody trusts', async () => {
    if (process.getuid?.() !== 0) return;
    execFileSync('chown', ['-R', '12345:12345', fixture.remotePath]);
    expect(await look(fixture.remotePath)).toMatchObject({
      of: 'push',
      message: expect.stringContaining('safe.directory'),
    });
  });
});

describe('what is no repository to work with', { timeout: 60_000 }, () => {
  it('is said with the path and what to do', async () => {
    await mkdir(join(fixture.folder, 'plain'));
    const why = async (path: string) =>
      look(path).then(
        () => '',
        ({ message }: WorkspaceError) => message,
      );
    const plain = await why(join(fixture.folder, 'plain'));
    expect(plain).toMatch(/^there is no git repository at .*plain: the folder is there.*git init/);
    expect(plain).not.toContain('\n');
    expect(await why(join(fixture.folder, 'nowhere.git'))).toMatch(/no repository at .*nowhere/);
    expect(await why('/srv/elsewhere/app.git')).toMatch(/--allow-folder \S+ \/srv\/elsewhere$/);
    fixture.git(fixture.folder, 'init', '-q', '--bare', 'empty.git');
    expect(await why(join(fixture.folder, 'empty.git'))).toContain('push a first commit');
  });
});

describe('the address of a path', () => {
  it('is its URL, home folder and blanks included', () => {
    expect(addressOfPath('/srv/git/app.git')).toBe('file:///srv/git/app.git');
    expect(addressOfPath('/home/me/my app/.git')).toBe('file:///home/me/my%20app');
    expect(addressOfPath('~/app.git/')).toBe(`file://${homedir()}/app.git`);
    expect(addressOfPath('//')).toBe('file:///');
    expect(() => addressOfPath('app.git')).toThrow(/begins with/);
  });
});
