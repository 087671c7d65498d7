import { existsSync } from 'node:fs';
import { mkdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fetchHiddenRef } from '../branches/hidden-ref.ts';
import { takeSnapshot } from '../objects/snapshot.ts';
import { baseRef, prepareWorkspace } from '../prepare-workspace.ts';
import { removeWorkspace } from '../remove-workspace.ts';
import { runAsProcess } from '../testing/run-as-process.ts';
import type { WorkspaceFixture } from '../testing/workspace-fixture.ts';
import { makeWorkspaceFixture, testIdentity } from '../testing/workspace-fixture.ts';
import type { PreparedWorkspace } from '../workspace.ts';
import { collectGarbage } from './collect-garbage.ts';
import { mirrorCommit, updateMirror } from './mirror.ts';
import { pruneAttemptRefs } from './prune-attempt-refs.ts';
import { repackMirror } from './repack-mirror.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const noSignal = new AbortController().signal;
let fixture: WorkspaceFixture;
let mirrorPath: string;
beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
  mirrorPath = (await updateMirror(fixture.workspaces, fixture.source)).path;
});
afterEach(() => fixture.dispose());

/** What a git that was killed leaves behind, some time ago. */
async function leaveLock(name: string, ageMs = 2 * HOUR_MS): Promise<string> {
  const path = join(mirrorPath, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, '');
  const date = new Date(Date.now() - ageMs);
  await utimes(path, date, date);
  return path;
}
const prepare = (): Promise<PreparedWorkspace> =>
  prepareWorkspace(fixture.workspaces, {
    issue: { identifier: 'SY-1', title: 'Fix it' },
    identity: testIdentity,
    nowMs: 1,
    source: fixture.source,
  });
const commitIn = (name: string) => mirrorCommit(fixture.workspaces, mirrorPath, name);

describe('a lock that a killed git left in a mirror', { timeout: 60_000 }, () => {
  it('of HEAD holds nobody up while the base has not moved', async () => {
    const lock = await leaveLock('HEAD.lock', 0);
    const before = await stat(join(mirrorPath, 'HEAD'));
    const fromMs = performance.now();
    expect(await updateMirror(fixture.workspaces, fixture.source)).toMatchObject({
      defaultBranch: 'main',
    });
    expect(performance.now() - fromMs).toBeLessThan(10_000);
    expect((await stat(join(mirrorPath, 'HEAD'))).ino).toBe(before.ino);
    await rm(lock);
  });

  it('of HEAD goes when HEAD has to move', async () => {
    const lock = await leaveLock('HEAD.lock');
    fixture.git(fixture.remotePath, 'branch', 'trunk', 'main');
    fixture.git(fixture.remotePath, 'symbolic-ref', 'HEAD', 'refs/heads/trunk');
    const mirror = await updateMirror(fixture.workspaces, fixture.source);
    expect(mirror.defaultBranch).toBe('trunk');
    expect(existsSync(lock)).toBe(false);
    expect(fixture.git(mirrorPath, 'symbolic-ref', 'HEAD').trim()).toBe('refs/heads/trunk');
  });

  it('of an attempt keeps no work back', async () => {
    const workspace = await prepare();
    const lock = await leaveLock('refs/switchyard/attempts/att_1.lock');
    await writeFile(join(workspace.path, 'work.txt'), 'done\n');
    const taken = await takeSnapshot(fixture.workspaces, runAsProcess(workspace.path), {
      workspace,
      attemptId: 'att_1',
      identity: testIdentity,
      message: 'm',
      agentStopped: true,
    });
    expect(await commitIn('refs/switchyard/attempts/att_1')).toBe(taken.commitSha);
    expect(existsSync(lock)).toBe(false);
  });

  it('of a hidden ref keeps no work of another runner away', async () => {
    const ref = 'refs/switchyard/wip/sy-1';
    fixture.git(fixture.remotePath, 'update-ref', ref, 'refs/heads/main');
    const lock = await leaveLock(`${ref}.lock`);
    const { url: repositoryUrl } = fixture.source;
    await fetchHiddenRef(fixture.workspaces, { repositoryUrl, mirrorPath, ref });
    expect(await commitIn(ref)).toBe(await commitIn('refs/heads/main'));
    expect(existsSync(lock)).toBe(false);
  });

  it('of an old attempt does not keep all old refs', async () => {
    await fixture.commitOnRemote('gone', { 'b.txt': 'b\n' });
    await updateMirror(fixture.workspaces, fixture.source);
    for (const id of ['one', 'two'])
      fixture.git(mirrorPath, 'update-ref', `refs/switchyard/attempts/${id}`, 'refs/heads/gone');
    fixture.git(mirrorPath, 'update-ref', '-d', 'refs/heads/gone');
    await leaveLock('refs/switchyard/attempts/one.lock');
    const later = Date.now() + 31 * DAY_MS;
    expect(await pruneAttemptRefs(fixture.workspaces, mirrorPath, later)).toBe(2);
  });

  it('does not keep a workspace from being removed', async () => {
    await prepare();
    await leaveLock(`${baseRef('SY-1')}.lock`);
    await leaveLock('packed-refs.lock');
    await removeWorkspace(fixture.workspaces, 'SY-1');
    expect(await commitIn(baseRef('SY-1'))).toBeNull();
  });

  it.each([2 * HOUR_MS, -2 * HOUR_MS])(
    'of a commit graph ends no maintenance for good (age %i)',
    async (ageMs) => {
      const chain = await leaveLock('objects/info/commit-graphs/commit-graph-chain.lock', ageMs);
      const draft = await leaveLock('objects/info/commit-graphs/tmp_graph_x', ageMs);
      await repackMirror(fixture.workspaces, mirrorPath, noSignal);
      expect([chain, draft].filter((path) => existsSync(path))).toEqual([]);
    },
  );

  it('of a commit graph stays while one may be written', async () => {
    const chain = await leaveLock('objects/info/commit-graphs/commit-graph-chain.lock', 60_000);
    await expect(repackMirror(fixture.workspaces, mirrorPath, noSignal)).rejects.toThrow(/lock/);
    expect(existsSync(chain)).toBe(true);
  });

  it('ends no collection of garbage for good', async () => {
    await leaveLock('switchyard-collected', 8 * DAY_MS);
    const locks = await Promise.all(
      ['gc.pid.lock', 'objects/info/commit-graph.lock'].map((name) => leaveLock(name)),
    );
    const collected = collectGarbage(fixture.workspaces, mirrorPath, {
      nowMs: Date.now(),
      signal: noSignal,
    });
    expect(await collected).toBe(true);
    expect(locks.filter((path) => existsSync(path))).toEqual([]);
  });
});
