import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { updateMirror } from '../mirror/mirror.ts';
import { pushBranch } from './push-branch.ts';
import type { WorkspaceFixture } from '../testing/workspace-fixture.ts';
import { makeWorkspaceFixture } from '../testing/workspace-fixture.ts';

let fixture: WorkspaceFixture;
let mirrorPath: string;
let first: string;
let second: string;
const branch = 'switchyard/sy-1-fix';

beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
  first = await fixture.commitOnRemote('topic', { 'a.txt': 'a\n' });
  second = await fixture.commitOnRemote('topic', { 'a.txt': 'b\n' });
  mirrorPath = (await updateMirror(fixture.workspaces, fixture.source)).path;
});
afterEach(() => fixture.dispose());

const push = (commitSha: string, expectedSha: string | null, to = branch): Promise<void> =>
  pushBranch(fixture.workspaces, {
    mirrorPath,
    repositoryUrl: fixture.source.url,
    branch: to,
    commitSha,
    expectedSha,
  });
const onRemote = (ref = branch): string =>
  fixture.git(fixture.remotePath, 'rev-parse', `refs/heads/${ref}`).trim();

describe('pushBranch', () => {
  it('creates, moves and repeats', async () => {
    await push(first, null);
    expect(onRemote()).toBe(first);
    await push(second, first);
    await push(second, first);
    await push(second, null);
    expect(onRemote()).toBe(second);
  });

  it('moves a branch back only when it stands where it was expected', async () => {
    await push(second, null);
    await push(first, second);
    expect(onRemote()).toBe(first);
    await expect(push(second, second)).rejects.toMatchObject({
      code: 'push_rejected',
      message: expect.stringContaining('stale info'),
    });
    await expect(push(second, null)).rejects.toMatchObject({ code: 'push_rejected' });
    expect(onRemote()).toBe(first);
  });

  it('gives the words of a remote that refuses', async () => {
    fixture.git(fixture.remotePath, 'config', 'receive.denyNonFastForwards', 'true');
    await push(second, null);
    await expect(push(first, second)).rejects.toMatchObject({
      code: 'push_refused',
      message: expect.stringContaining('non-fast-forward'),
    });
  });

  it('touches no branch outside switchyard/', async () => {
    const before = onRemote('main');
    for (const name of [
      'main',
      'HEAD',
      'switchyard/../main',
      'switchyard/a b',
      '+switchyard/a:main',
    ]) {
      await expect(push(second, null, name)).rejects.toMatchObject({ code: 'branch_refused' });
    }
    expect(onRemote('main')).toBe(before);
  });

  it('needs a full object id', async () => {
    for (const name of ['HEAD', 'main', '', 'abc123', `${'0'.repeat(39)}:x`]) {
      await expect(push(name, null)).rejects.toThrow(/full object id/);
    }
  });

  it('says that the remote is gone', async () => {
    await expect(
      pushBranch(fixture.workspaces, {
        mirrorPath,
        repositoryUrl: `file://${fixture.folder}/gone`,
        branch,
        commitSha: first,
        expectedSha: null,
      }),
    ).rejects.toMatchObject({
      code: 'repository_missing',
      message: expect.stringContaining('there is no repository at'),
    });
  });
});
