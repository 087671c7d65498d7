import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SnapshotInput } from './snapshot.ts';
import { takeSnapshot } from './snapshot.ts';
import { runAsProcess } from '../testing/run-as-process.ts';
import type { WorkspaceFixture } from '../testing/workspace-fixture.ts';
import { makeWorkspaceFixture, prepareFor, testIdentity } from '../testing/workspace-fixture.ts';
import type { PreparedWorkspace, Snapshot } from '../workspace.ts';

let fixture: WorkspaceFixture;
let workspace: PreparedWorkspace;

beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
  workspace = await prepareFor(fixture);
});
afterEach(() => fixture.dispose());

const snapshot = (change: Partial<SnapshotInput> = {}): Promise<Snapshot> =>
  takeSnapshot(fixture.workspaces, runAsProcess(workspace.path), {
    workspace,
    attemptId: 'att-1',
    identity: testIdentity,
    message: 'SY-1: Fix it\n\n# not a comment $(touch pwned)',
    agentStopped: true,
    ...change,
  });
const inWorkspace = (...args: string[]): string => fixture.git(workspace.path, ...args);
const inMirror = (...args: string[]): string => fixture.git(workspace.mirrorPath, ...args);
const edit = (name: string, text: string): Promise<void> =>
  fixture.write(join(workspace.path, name), text);

describe('takeSnapshot', () => {
  it('answers no difference for an untouched workspace', async () => {
    expect(await snapshot()).toMatchObject({ commitSha: null, diff: '', diffStat: { files: 0 } });
  });

  it('commits what is dirty under the configured identity and brings it to the mirror', async () => {
    await edit('src/app.txt', 'one\n2\nthree\n');
    await edit('new file.txt', 'new\n');
    const taken = await snapshot();
    expect(taken.diffStat).toEqual({ files: 2, insertions: 2, deletions: 1 });
    expect(taken.diff).toContain('+2\n');
    expect(inMirror('rev-parse', 'refs/switchyard/attempts/att-1').trim()).toBe(taken.commitSha);
    const shown = inMirror('show', '-s', '--format=%an <%ae> %P%n%B', taken.commitSha ?? '');
    expect(shown).toContain(`Sam Switch <sam@example.test> ${workspace.baseCommit}`);
    expect(shown).toContain('# not a comment $(touch pwned)');
    expect(inWorkspace('status', '--porcelain')).toBe('');
    expect(await readdir(fixture.workspaces.paths.temporary)).toEqual([]);
  });

  it('takes commits that the agent made itself, with nothing dirty', async () => {
    await edit('a.txt', 'a\n');
    inWorkspace('add', '-A');
    inWorkspace('commit', '-qm', 'by the agent');
    const head = inWorkspace('rev-parse', 'HEAD').trim();
    expect((await snapshot()).commitSha).toBe(head);
    expect(inWorkspace('for-each-ref', 'refs/switchyard')).toBe('');
  });

  it.each([
    ['another branch', ['checkout', '-q', '-b', 'mine']],
    ['a detached HEAD', ['checkout', '-q', '--detach']],
    ['an orphan branch', ['checkout', '-q', '--orphan', 'fresh']],
  ])('takes the work from %s', async (_name, args) => {
    inWorkspace(...args);
    await edit('b.txt', 'b\n');
    const taken = await snapshot();
    expect(taken.commitSha).toBe(inWorkspace('rev-parse', 'HEAD').trim());
    expect(taken.diffStat).toEqual({ files: 1, insertions: 1, deletions: 0 });
  });

  it('is not confused by a branch called HEAD', async () => {
    inWorkspace('update-ref', 'refs/heads/HEAD', workspace.baseCommit);
    await edit('c.txt', 'c\n');
    const taken = await snapshot();
    expect(taken.commitSha).toBe(
      inWorkspace('rev-parse', '--verify', `refs/heads/${workspace.branch}`).trim(),
    );
    expect(taken.diff).toContain('c.txt');
  });

  it('finds work on the issue branch when the agent went back to the base', async () => {
    await edit('d.txt', 'd\n');
    inWorkspace('add', '-A');
    inWorkspace('commit', '-qm', 'work');
    const work = inWorkspace('rev-parse', 'HEAD').trim();
    inWorkspace('checkout', '-q', '--detach', workspace.baseCommit);
    expect((await snapshot()).commitSha).toBe(work);
  });

  it('keeps a commit whose difference was undone', async () => {
    inWorkspace('commit', '-q', '--allow-empty', '-m', 'nothing');
    const taken = await snapshot();
    expect(taken.commitSha).not.toBeNull();
    expect(taken).toMatchObject({ diff: '', diffStat: { files: 0, insertions: 0, deletions: 0 } });
  });

  it('grows with a second snapshot of the same attempt', async () => {
    await edit('e.txt', 'e\n');
    const first = await snapshot();
    await edit('f.txt', 'f\n');
    const second = await snapshot();
    expect(second.diffStat.files).toBe(2);
    expect(inMirror('rev-parse', `${second.commitSha}^`).trim()).toBe(first.commitSha);
  });

  it('removes the lock that a killed git left behind', async () => {
    await writeFile(join(workspace.path, '.git/index.lock'), '');
    await edit('g.txt', 'g\n');
    expect((await snapshot()).diffStat.files).toBe(1);
  });

  it('works although the agent set core.bare and another work tree', async () => {
    inWorkspace('config', 'core.worktree', fixture.folder);
    inWorkspace('config', 'core.bare', 'true');
    await edit('h.txt', 'h\n');
    expect((await snapshot()).diffStat).toEqual({ files: 1, insertions: 1, deletions: 0 });
  });

  it('cuts a long diff at its limit and still counts all of it', async () => {
    await edit('long.txt', 'ä'.repeat(40) + '\n'.repeat(500));
    const taken = await snapshot({ maxDiffBytes: 180 });
    expect(taken.diffTruncated).toBe(true);
    expect(Buffer.byteLength(taken.diff)).toBeLessThanOrEqual(180);
    expect(taken.diff).not.toContain('\uFFFD');
    expect(taken.diffStat.insertions).toBe(500);
  });

  it('refuses work beyond the size limit', async () => {
    execFileSync(
      'dd',
      ['if=/dev/urandom', `of=${join(workspace.path, 'big')}`, 'bs=64k', 'count=4'],
      { stdio: 'ignore' },
    );
    await expect(snapshot({ maxBundleBytes: 65_536 })).rejects.toMatchObject({
      code: 'snapshot_too_large',
    });
    expect(await readdir(fixture.workspaces.paths.temporary)).toEqual([]);
  });

  it('keeps a symlink that points outside as a link, not as what it points to', async () => {
    await fixture.write(join(fixture.folder, 'secret.txt'), 'secret words\n');
    await symlink(join(fixture.folder, 'secret.txt'), join(workspace.path, 'link'));
    const taken = await snapshot();
    expect(taken.diff).toContain('new file mode 120000');
    expect(taken.diff).not.toContain('secret words');
  });
});

describe('takeSnapshot of a damaged repository', () => {
  const unusable = { code: 'workspace_unusable' };

  it('says so when .git is gone, and never uses a repository further up', async () => {
    fixture.git(fixture.folder, 'init', '-q', '.');
    await rm(join(workspace.path, '.git'), { recursive: true });
    await expect(snapshot()).rejects.toMatchObject(unusable);
    expect(existsSync(join(fixture.folder, '.git/index'))).toBe(false);
  });

  it('says so when .git is a link or a pointer to somewhere else', async () => {
    await rm(join(workspace.path, '.git'), { recursive: true });
    await writeFile(join(workspace.path, '.git'), `gitdir: ${workspace.mirrorPath}\n`);
    await expect(snapshot()).rejects.toMatchObject(unusable);
    await rm(join(workspace.path, '.git'));
    await symlink(workspace.mirrorPath, join(workspace.path, '.git'));
    await expect(snapshot()).rejects.toMatchObject(unusable);
  });

  it('says so when the configuration is broken, HEAD is garbage or the base is lost', async () => {
    await writeFile(join(workspace.path, '.git/objects/info/alternates'), '');
    await expect(snapshot()).rejects.toMatchObject({ name: 'WorkspaceError' });
    await writeFile(join(workspace.path, '.git/HEAD'), 'garbage');
    await expect(snapshot()).rejects.toMatchObject(unusable);
    await writeFile(join(workspace.path, '.git/config'), '[broken');
    await expect(snapshot()).rejects.toMatchObject(unusable);
  });
});
