import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WorkspaceFixture } from '../testing/workspace-fixture.ts';
import { makeWorkspaceFixture } from '../testing/workspace-fixture.ts';
import { fetchMirror } from './fetch-mirror.ts';
import { mirrorCommit, updateMirror } from './mirror.ts';

let fixture: WorkspaceFixture;
beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
});
afterEach(() => fixture.dispose());

/** What a host does when a person renames the default branch. */
function rename(from: string, to: string): void {
  fixture.git(fixture.remotePath, 'branch', '-m', from, to);
}
const atHead = async (path: string) => fixture.git(path, 'symbolic-ref', 'HEAD').trim();

describe('fetchMirror', () => {
  it('is a fresh mirror with the default branch, made where there is none', async () => {
    const { workspaces, source } = fixture;
    const made = await fetchMirror(workspaces, source);
    expect(made).toMatchObject({ url: source.url, defaultBranch: 'main', baseIsGone: false });
    const commit = await fixture.commitOnRemote('topic', { 'x.txt': 'x\n' });
    const fetched = await fetchMirror(workspaces, source, { baseBranch: 'topic' });
    expect(fetched).toEqual({ ...made, baseIsGone: false });
    expect(await mirrorCommit(workspaces, made.path, 'refs/heads/topic')).toBe(commit);
  });

  it('goes on without a base that was renamed, and says so', async () => {
    const { workspaces, source } = fixture;
    const { path } = await updateMirror(workspaces, source);
    const kept = fixture.git(path, 'rev-parse', 'main').trim();
    fixture.git(path, 'update-ref', 'refs/switchyard/attempts/a1', kept);
    rename('main', 'trunk');
    const fetched = await fetchMirror(workspaces, source, { baseBranch: 'main' });
    expect(fetched).toMatchObject({ path, defaultBranch: 'trunk', baseIsGone: true });
    expect(await atHead(path)).toBe('refs/heads/trunk');
    expect(await mirrorCommit(workspaces, path, 'refs/heads/main')).toBeNull();
    expect(await mirrorCommit(workspaces, path, kept)).toBe(kept);
    const again = await fetchMirror(workspaces, source, { baseBranch: 'trunk' });
    expect(again).toMatchObject({ defaultBranch: 'trunk', baseIsGone: false });
  });

  it('keeps to the configured default branch while the remote has it', async () => {
    const { workspaces, source } = fixture;
    await fixture.commitOnRemote('stable', { 'x.txt': 'x\n' });
    const configured = { ...source, defaultBranch: 'stable' };
    const there = await fetchMirror(workspaces, configured);
    expect(there).toMatchObject({ defaultBranch: 'stable', baseIsGone: false });
    const beside = await fetchMirror(workspaces, configured, { baseBranch: 'release' });
    expect(beside).toMatchObject({ defaultBranch: 'stable', baseIsGone: true });
    fixture.git(fixture.remotePath, 'branch', '-D', 'stable');
    const gone = await fetchMirror(workspaces, configured);
    expect(gone).toMatchObject({ defaultBranch: 'main', baseIsGone: true });
    const other = await fetchMirror(workspaces, configured, { baseBranch: 'main' });
    expect(other).toMatchObject({ defaultBranch: 'main', baseIsGone: false });
    await expect(updateMirror(workspaces, configured)).rejects.toThrow(/has no branch stable/);
  });

  it('goes on when the remote names no branch at all', async () => {
    const { workspaces, source } = fixture;
    await updateMirror(workspaces, source);
    fixture.git(fixture.remotePath, 'update-ref', '-d', 'refs/heads/main');
    const fetched = await fetchMirror(workspaces, source, { baseBranch: 'main' });
    expect(fetched).toMatchObject({ defaultBranch: 'main', baseIsGone: true });
    const configured = { ...source, defaultBranch: 'stable' };
    const named = await fetchMirror(workspaces, configured);
    expect(named).toMatchObject({ defaultBranch: 'stable', baseIsGone: true });
    const nameless = fetchMirror(workspaces, source);
    await expect(nameless).rejects.toMatchObject({ code: 'repository_missing' });
  });

  it('fails as updateMirror does on a remote that is not there, and on bad names', async () => {
    const { workspaces, source } = fixture;
    const missing = fetchMirror(workspaces, { url: `file://${fixture.folder}/gone` });
    await expect(missing).rejects.toMatchObject({ code: 'repository_missing' });
    for (const bad of ['--upload-pack=x', 'a b']) {
      const named = fetchMirror(workspaces, source, { baseBranch: bad });
      await expect(named).rejects.toMatchObject({ code: 'branch_refused' });
      const configured = fetchMirror(workspaces, { ...source, defaultBranch: bad });
      await expect(configured).rejects.toMatchObject({ code: 'branch_refused' });
    }
  });
});
