import { chmodSync, existsSync } from 'node:fs';
import { mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freshMirror } from './fresh-mirror.ts';
import { mirrorCommit, updateMirror } from './mirror.ts';
import { mirrorKey } from './mirror-key.ts';
import type { WorkspaceFixture } from '../testing/workspace-fixture.ts';
import { makeWorkspaceFixture } from '../testing/workspace-fixture.ts';
import { WorkspaceError } from '../workspace.ts';

let fixture: WorkspaceFixture;
beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
});
afterEach(() => fixture.dispose());

describe('updateMirror', () => {
  it('clones once and fetches what is new', async () => {
    const first = await updateMirror(fixture.workspaces, fixture.source);
    expect(first).toMatchObject({ defaultBranch: 'main', url: fixture.source.url });
    const commit = await fixture.commitOnRemote('topic', { 'x.txt': 'x\n' });
    const second = await updateMirror(fixture.workspaces, fixture.source);
    expect(second.path).toBe(first.path);
    expect(await mirrorCommit(fixture.workspaces, second.path, 'refs/heads/topic')).toBe(commit);
    expect(await readdir(fixture.workspaces.paths.mirrors)).toEqual([
      mirrorKey(fixture.source.url),
    ]);
  });

  it('survives many calls at once', async () => {
    const all = await Promise.all(
      Array.from({ length: 6 }, () => updateMirror(fixture.workspaces, fixture.source)),
    );
    expect(new Set(all.map((mirror) => mirror.path)).size).toBe(1);
  });

  it('keeps our own refs through prune and a remote that tries to set them', async () => {
    const mirror = await updateMirror(fixture.workspaces, fixture.source);
    const commit = await fixture.commitOnRemote('gone', { 'g.txt': 'g\n' });
    await updateMirror(fixture.workspaces, fixture.source);
    fixture.git(mirror.path, 'update-ref', 'refs/switchyard/attempts/a1', commit);
    fixture.git(fixture.remotePath, 'update-ref', '-d', 'refs/heads/gone');
    fixture.git(fixture.remotePath, 'update-ref', 'refs/switchyard/attempts/a1', 'refs/heads/main');
    await updateMirror(fixture.workspaces, fixture.source);
    expect(await mirrorCommit(fixture.workspaces, mirror.path, 'refs/heads/gone')).toBeNull();
    expect(await mirrorCommit(fixture.workspaces, mirror.path, 'refs/switchyard/attempts/a1')).toBe(
      commit,
    );
  });

  it('gets over lock files that a killed git left behind', async () => {
    const mirror = await updateMirror(fixture.workspaces, fixture.source);
    const locks = ['packed-refs.lock', 'refs/heads/main.lock'].map((name) =>
      join(mirror.path, name),
    );
    const longAgo = new Date(Date.now() - 60_000);
    for (const lock of locks) {
      await writeFile(lock, '');
      await utimes(lock, longAgo, longAgo);
    }
    const commit = await fixture.commitOnRemote('main', { 'x.txt': 'x\n' });
    await updateMirror(fixture.workspaces, fixture.source);
    expect(await mirrorCommit(fixture.workspaces, mirror.path, 'refs/heads/main')).toBe(commit);
    expect(locks.filter((lock) => existsSync(lock))).toEqual([]);
  });

  it('follows the remote when its default branch changes or history is rewritten', async () => {
    await updateMirror(fixture.workspaces, fixture.source);
    await fixture.commitOnRemote('trunk', {});
    fixture.git(fixture.remotePath, 'symbolic-ref', 'HEAD', 'refs/heads/trunk');
    fixture.git(
      join(fixture.folder, 'author'),
      'commit',
      '-q',
      '--amend',
      '--allow-empty',
      '-m',
      'rewritten',
    );
    fixture.git(join(fixture.folder, 'author'), 'push', '-qf', 'origin', 'trunk');
    const mirror = await updateMirror(fixture.workspaces, fixture.source);
    expect(mirror.defaultBranch).toBe('trunk');
    expect(fixture.git(mirror.path, 'log', '-1', '--format=%s', 'HEAD').trim()).toBe('rewritten');
  });

  it('says in clear words that a path holds no repository', async () => {
    const ask = (path: string) => updateMirror(fixture.workspaces, { url: `file://${path}` });
    const missing = (words: RegExp) =>
      expect.objectContaining({
        code: 'repository_missing',
        message: expect.stringMatching(words),
      });
    await expect(ask(join(fixture.folder, 'nowhere'))).rejects.toEqual(
      missing(/no repository at .*nowhere/),
    );
    await mkdir(join(fixture.folder, 'empty'));
    await expect(ask(join(fixture.folder, 'empty'))).rejects.toEqual(missing(/no git repository/));
    await writeFile(join(fixture.folder, 'file'), '');
    await expect(ask(join(fixture.folder, 'file'))).rejects.toEqual(missing(/no repository/));
    fixture.git(fixture.folder, 'init', '-q', '--bare', 'unborn.git');
    await expect(ask(join(fixture.folder, 'unborn.git'))).rejects.toEqual(missing(/first commit/));
    expect(await readdir(fixture.workspaces.paths.temporary)).toEqual([]);
  });

  it('says which branch is missing, and refuses names that git refuses', async () => {
    const ask = (defaultBranch: string) =>
      updateMirror(fixture.workspaces, { ...fixture.source, defaultBranch });
    await expect(ask('nope')).rejects.toThrow(/has no branch nope/);
    await expect(ask('--upload-pack=x')).rejects.toMatchObject({ code: 'branch_refused' });
  });

  it.each([
    ['ls-remote', freshMirror],
    ['fetch', updateMirror],
  ] as const)(
    'blames no route when the default branch is renamed after its %s',
    async (step, take) => {
      const { workspaces, source, remotePath } = fixture;
      await updateMirror(workspaces, source);
      await fixture.commitOnRemote('main', { 'x.txt': 'x\n' });
      let isRenamed = false;
      const run: typeof workspaces.git.run = async (input) => {
        const result = await workspaces.git.run(input);
        if (input.args[0] === step && !isRenamed) {
          isRenamed = true;
          fixture.git(remotePath, 'branch', '-m', 'main', 'trunk');
        }
        return result;
      };
      const renaming = { ...workspaces, git: { ...workspaces.git, run } };
      const taken = await take(renaming, source).then(
        ({ defaultBranch }) => defaultBranch,
        (error: unknown) => (error instanceof WorkspaceError ? error.code : error),
      );
      // Either it is found, or another try finds it, so that nobody is called.
      expect(taken).toBe(step === 'fetch' ? 'git_failed' : 'trunk');
      expect(await freshMirror(workspaces, source)).toMatchObject({ defaultBranch: 'trunk' });
    },
  );

  it('does not enter a repository below its own root, which an agent could write', async () => {
    await symlink(fixture.workspaces.paths.workspaces, join(fixture.folder, 'detour'));
    const inside = join(fixture.workspaces.paths.workspaces, 'SY-1');
    fixture.git(fixture.folder, 'init', '-q', inside);
    for (const path of [inside, join(fixture.folder, 'detour', 'SY-1')]) {
      await expect(
        updateMirror(fixture.workspaces, { url: `file://${path}` }),
      ).rejects.toMatchObject({ code: 'repository_refused' });
    }
  });

  it('reads a repository that belongs to another user, without its hooks', async () => {
    const hook = join(fixture.remotePath, 'hooks/reference-transaction');
    await fixture.write(hook, `#!/bin/sh\ntouch ${join(fixture.folder, 'ran')}\n`);
    chmodSync(hook, 0o755);
    if (process.getuid?.() === 0) {
      const { execFileSync } = await import('node:child_process');
      execFileSync('chown', ['-R', '12345:12345', fixture.remotePath]);
    }
    expect((await updateMirror(fixture.workspaces, fixture.source)).defaultBranch).toBe('main');
    expect(existsSync(join(fixture.folder, 'ran'))).toBe(false);
  });

  it('refuses a planted symlink in the place of a mirror', async () => {
    await symlink(
      fixture.remotePath,
      join(fixture.workspaces.paths.mirrors, mirrorKey(fixture.source.url)),
    );
    await expect(updateMirror(fixture.workspaces, fixture.source)).rejects.toMatchObject({
      code: 'workspace_escape',
    });
  });
});
