import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeSnapshot } from '../objects/snapshot.ts';
import { openWorkspaces, type Workspaces } from '../open-workspaces.ts';
import { prepareWorkspace } from '../prepare-workspace.ts';
import { removeWorkspace } from '../remove-workspace.ts';
import { type GatedGit, gatedGit } from '../testing/gated-git.ts';
import { runAsProcess } from '../testing/run-as-process.ts';
import type { WorkspaceFixture } from '../testing/workspace-fixture.ts';
import { makeWorkspaceFixture, testIdentity } from '../testing/workspace-fixture.ts';
import type { PreparedWorkspace, RepositorySource } from '../workspace.ts';
import { updateMirror } from './mirror.ts';

let fixture: WorkspaceFixture;
let workspaces: Workspaces;
let git: GatedGit;
beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
  git = await gatedGit(fixture.folder);
  const rootPath = join(fixture.folder, 'root');
  workspaces = await openWorkspaces({
    rootPath,
    workIdentity: null,
    gitPath: git.gitPath,
    allowFolders: [fixture.folder],
  });
});
afterEach(() => fixture.dispose());

const prepare = (
  identifier: string,
  source: RepositorySource = fixture.source,
): Promise<PreparedWorkspace> =>
  prepareWorkspace(workspaces, {
    issue: { identifier, title: 'Fix it' },
    source,
    identity: testIdentity,
    nowMs: 1,
  });

describe('one mirror and many issues', () => {
  it('checks a second issue out while the first one is being checked out', async () => {
    await updateMirror(workspaces, fixture.source);
    const { reached, letGo } = await git.hold('checkout');
    const first = prepare('SY-1');
    await reached;
    expect(await prepare('SY-2')).toMatchObject({ created: true });
    await letGo();
    expect(await first).toMatchObject({ created: true });
  });

  it('goes on with a base that has not moved while a fetch is under way', async () => {
    const known = await prepare('SY-1');
    await prepare('SY-2');
    await fixture.commitOnRemote('large', { 'x.txt': 'x\n' });
    const before = (await git.calls()).length;
    const { reached, letGo } = await git.hold('fetch');
    const fetching = updateMirror(workspaces, fixture.source);
    await reached;
    expect(await prepare('SY-3')).toMatchObject({ created: true, baseCommit: known.baseCommit });
    await writeFile(join(known.path, 'work.txt'), 'done\n');
    const taken = await takeSnapshot(workspaces, runAsProcess(known.path), {
      workspace: known,
      attemptId: 'a',
      identity: testIdentity,
      message: 'm',
      agentStopped: true,
    });
    expect(taken.diffStat.files).toBe(1);
    await removeWorkspace(workspaces, 'SY-2');
    expect((await git.calls()).slice(before)).not.toContain('end fetch');
    await letGo();
    await fetching;
    expect(fixture.git(known.mirrorPath, 'branch', '--list', 'large').trim()).toBe('large');
  });

  it('holds back only the issues whose commits a fetch brings', async () => {
    await fixture.commitOnRemote('stable', { 'kept.txt': 'x\n' });
    await prepare('SY-1');
    const otherPath = join(fixture.folder, 'other.git');
    fixture.git(fixture.folder, 'clone', '--quiet', '--bare', fixture.remotePath, otherPath);
    const commit = await fixture.commitOnRemote('main', { 'large.txt': 'x\n' });
    const { reached, letGo } = await git.hold('fetch');
    let isDone = false;
    const waiting = prepare('SY-2').finally(() => (isDone = true));
    await reached;
    const other = { url: `file://${otherPath}` };
    const made = await Promise.all([
      prepare('SY-3', other),
      prepare('SY-4', other),
      prepare('SY-5', { ...fixture.source, defaultBranch: 'stable' }),
      prepare('SY-1'),
    ]);
    expect(made.map(({ created }) => created)).toEqual([true, true, true, false]);
    await removeWorkspace(workspaces, 'SY-1');
    expect(isDone).toBe(false);
    await letGo();
    expect(await waiting).toMatchObject({ created: true, baseCommit: commit });
  });

  it('never runs two fetches of a mirror at once', async () => {
    await updateMirror(workspaces, fixture.source);
    const before = (await git.calls()).length;
    await Promise.all(Array.from({ length: 4 }, () => updateMirror(workspaces, fixture.source)));
    const calls = (await git.calls()).slice(before);
    expect(calls).toEqual(Array.from({ length: 4 }, () => ['begin fetch', 'end fetch']).flat());
  });

  it('fetches once for issues that wait for the same new commit', async () => {
    await prepare('SY-1');
    const commit = await fixture.commitOnRemote('main', { 'later.txt': 'x\n' });
    const before = (await git.calls()).length;
    const made = await Promise.all(['SY-2', 'SY-3', 'SY-4'].map((each) => prepare(each)));
    expect(made.map(({ baseCommit }) => baseCommit)).toEqual([commit, commit, commit]);
    const calls = (await git.calls()).slice(before);
    expect(calls.filter((call) => call === 'begin fetch')).toHaveLength(1);
  });
});
