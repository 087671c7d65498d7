import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { updateMirror } from './mirror.ts';
import { pruneAttemptRefs } from './prune-attempt-refs.ts';
import { makeWorkspaceFixture, type WorkspaceFixture } from '../testing/workspace-fixture.ts';

const DAY_MS = 86_400_000;

describe('refs of old attempts', { timeout: 60_000 }, () => {
  let fixture: WorkspaceFixture;
  let mirrorPath: string;
  beforeEach(async () => {
    fixture = await makeWorkspaceFixture();
    await fixture.commitOnRemote('switchyard/sy-1', { 'a.txt': 'a\n' });
    await fixture.commitOnRemote('gone', { 'b.txt': 'b\n' });
    mirrorPath = (await updateMirror(fixture.workspaces, fixture.source)).path;
    const point = (ref: string, at: string) =>
      fixture.git(mirrorPath, 'update-ref', `refs/switchyard/${ref}`, at);
    point('attempts/att_pushed', 'refs/heads/switchyard/sy-1');
    point('attempts/att_gone', 'refs/heads/gone');
    point('base/SY-1', 'refs/heads/gone');
    fixture.git(mirrorPath, 'update-ref', '-d', 'refs/heads/gone');
  });
  afterEach(() => fixture.dispose());

  const refs = () =>
    fixture.git(mirrorPath, 'for-each-ref', '--format=%(refname)', 'refs/switchyard/').split('\n');

  it('go after 30 days, unless a branch stands there, at most once a day', async () => {
    const nowMs = Date.now();
    expect(await pruneAttemptRefs(fixture.workspaces, mirrorPath, nowMs)).toBe(0);
    expect(refs()).toContain('refs/switchyard/attempts/att_gone');
    const later = nowMs + 31 * DAY_MS;
    expect(await pruneAttemptRefs(fixture.workspaces, mirrorPath, later)).toBe(1);
    expect(refs().filter(Boolean)).toEqual([
      'refs/switchyard/attempts/att_pushed',
      'refs/switchyard/base/SY-1',
    ]);
    fixture.git(mirrorPath, 'update-ref', 'refs/switchyard/attempts/att_new', 'HEAD');
    expect(await pruneAttemptRefs(fixture.workspaces, mirrorPath, nowMs + 1_000)).toBe(0);
    await rm(join(mirrorPath, 'switchyard-pruned'));
    expect(await pruneAttemptRefs(fixture.workspaces, mirrorPath, nowMs)).toBe(0);
  });
});
