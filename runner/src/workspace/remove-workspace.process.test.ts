import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listWorkspaces } from './list-workspaces.ts';
import { prepareWorkspace } from './prepare-workspace.ts';
import { removeWorkspace } from './remove-workspace.ts';
import type { WorkspaceFixture } from './testing/workspace-fixture.ts';
import { makeWorkspaceFixture, testIdentity } from './testing/workspace-fixture.ts';
import type { PreparedWorkspace } from './workspace.ts';
import { workspaceUsage } from './disk/workspace-usage.ts';

let fixture: WorkspaceFixture;
let workspace: PreparedWorkspace;
beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
  workspace = await prepareWorkspace(fixture.workspaces, {
    issue: { identifier: 'SY-1', title: 'x' },
    source: fixture.source,
    identity: testIdentity,
    nowMs: 1,
  });
});
afterEach(() => fixture.dispose());

describe('removeWorkspace', () => {
  it('leaves nothing of it, and does not mind a repeat', async () => {
    await removeWorkspace(fixture.workspaces, 'SY-1');
    await removeWorkspace(fixture.workspaces, 'SY-1');
    expect(existsSync(workspace.path)).toBe(false);
    expect(await listWorkspaces(fixture.workspaces)).toEqual([]);
    expect(await readdir(fixture.workspaces.paths.records)).toEqual([]);
    expect(fixture.git(workspace.mirrorPath, 'for-each-ref', 'refs/switchyard')).toBe('');
  });

  it('follows no symlink', async () => {
    const outside = join(fixture.folder, 'outside');
    await fixture.write(join(outside, 'keep.txt'), 'keep');
    await symlink(outside, join(workspace.path, 'link'));
    await removeWorkspace(fixture.workspaces, 'SY-1');
    await symlink(outside, workspace.path);
    await removeWorkspace(fixture.workspaces, 'SY-1');
    expect(existsSync(workspace.path)).toBe(false);
    expect(existsSync(join(outside, 'keep.txt'))).toBe(true);
  });

  it('refuses a key that leaves the root', async () => {
    for (const key of ['..', '.', '', '../root', 'a/b', '.git', '/etc']) {
      await expect(removeWorkspace(fixture.workspaces, key)).rejects.toMatchObject({
        code: 'workspace_escape',
      });
    }
  });

  it('removes closed folders and paths beyond the longest name', async () => {
    await mkdir(join(workspace.path, 'closed/inner'), { recursive: true });
    await writeFile(join(workspace.path, 'closed/inner/x'), 'x');
    await chmod(join(workspace.path, 'closed'), 0);
    const chain = join(...Array.from({ length: 15 }, () => 'd'.repeat(200)));
    await mkdir(join(workspace.path, 'a', chain), { recursive: true });
    await mkdir(join(workspace.path, 'b', chain), { recursive: true });
    await rename(join(workspace.path, 'b'), join(workspace.path, 'a', chain, 'b'));
    expect((await workspaceUsage(workspace.path)).entries).toBeGreaterThan(30);
    await removeWorkspace(fixture.workspaces, 'SY-1');
    expect(existsSync(workspace.path)).toBe(false);
    expect(await readdir(fixture.workspaces.paths.temporary)).toEqual([]);
  });

  it('removes a workspace whose record is damaged or whose mirror is gone', async () => {
    await writeFile(join(fixture.workspaces.paths.records, 'SY-1.json'), '{');
    await removeWorkspace(fixture.workspaces, 'SY-1');
    expect(existsSync(workspace.path)).toBe(false);
    expect(await readdir(fixture.workspaces.paths.records)).toEqual([]);
  });
});

describe('workspaceUsage', () => {
  it('counts what lies inside, not what links point to', async () => {
    const before = await workspaceUsage(workspace.path);
    await writeFile(join(workspace.path, 'big'), Buffer.alloc(300_000, 1));
    await symlink('/usr', join(workspace.path, 'usr'));
    const after = await workspaceUsage(workspace.path);
    expect(after.diskBytes - before.diskBytes).toBeGreaterThanOrEqual(300_000);
    expect(after.diskBytes - before.diskBytes).toBeLessThan(400_000);
    expect(after.complete).toBe(true);
    expect(await workspaceUsage(workspace.path, { maxEntries: 3 })).toMatchObject({
      complete: false,
    });
  });

  it('is listed per workspace', async () => {
    const [listed] = await listWorkspaces(fixture.workspaces);
    expect(listed).toMatchObject({
      key: 'SY-1',
      identifier: 'SY-1',
      branch: workspace.branch,
      complete: true,
    });
    expect(listed?.lastModifiedMs).toBeGreaterThan(0);
  });
});
