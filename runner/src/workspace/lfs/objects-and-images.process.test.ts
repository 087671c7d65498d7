import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LfsHost } from '../lfs-host/lfs-host.ts';
import { LFS_LIMITS } from '../lfs-host/lfs-limits.ts';
import { sha256 } from '../testing/lfs-host.ts';
import { WorkspaceError } from '../workspace.ts';
import { runAsProcess } from '../testing/run-as-process.ts';
import {
  makeWorkspaceFixture,
  prepareFor,
  testIdentity,
  type WorkspaceFixture,
} from '../testing/workspace-fixture.ts';
import { hasLfs } from './check-out-objects.ts';
import { collectObjects } from './collect-objects.ts';
import { fetchObjects } from './fetch-objects.ts';
import { isStored } from './store-object.ts';

let fixture: WorkspaceFixture;
beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
});
afterEach(() => fixture.dispose());

describe('objects of Git LFS', { timeout: 60_000 }, () => {
  it('beyond the limits are not asked for, and the reason is said', async () => {
    const { mirrorPath } = await prepareFor(fixture);
    const { signal } = new AbortController();
    const { MAX_OBJECT_BYTES, MAX_TOTAL_BYTES } = LFS_LIMITS;
    const sizes = [MAX_OBJECT_BYTES + 1, ...Array.from({ length: 5 }, () => MAX_TOTAL_BYTES / 4)];
    const pointers = sizes.map((sizeBytes, index) => ({ oid: sha256(String(index)), sizeBytes }));
    const from = { mirrorPath, repositoryUrl: fixture.source.url, signal, freeBytes: Infinity };
    const { count, missing } = await fetchObjects(fixture.workspaces, from, pointers);
    const words = pointers.map(({ oid }) => missing.get(oid));
    expect(count).toBe(0);
    expect(words[0]).toBe('it is larger than 4 GiB');
    expect(words.at(-1)).toContain('16 GiB together');
    expect(words[1]).toContain('over https only');
  });

  it('are not asked for where the disk has no room for them', async () => {
    const { mirrorPath } = await prepareFor(fixture);
    const { signal } = new AbortController();
    const GiB = 1024 ** 3;
    const pointers = ['a', 'b'].map((one) => ({ oid: sha256(one), sizeBytes: GiB }));
    const from = { mirrorPath, repositoryUrl: fixture.source.url, signal, freeBytes: 6 * GiB };
    const { missing } = await fetchObjects(fixture.workspaces, from, pointers);
    const words = pointers.map(({ oid }) => missing.get(oid));
    expect(words).toEqual([
      expect.stringContaining('over https only'),
      expect.stringContaining('too little room'),
    ]);
  });

  it('are not asked for one by one where the address of them does not answer', async () => {
    const { mirrorPath } = await prepareFor(fixture);
    const { signal } = new AbortController();
    let asked = 0;
    const lfs: LfsHost = {
      unsupported: () => null,
      batch: (_url, _operation, pointers) =>
        Promise.resolve(pointers.map((pointer) => ({ pointer, download: { href: 'https://a' } }))),
      download: () => {
        asked += 1;
        return Promise.reject(new WorkspaceError('host_unreachable', 'it cannot be reached'));
      },
      upload: () => Promise.resolve(),
    };
    const from = {
      mirrorPath,
      repositoryUrl: 'https://host.test/app.git',
      signal,
      freeBytes: Infinity,
    };
    const pointers = Array.from({ length: 250 }, (_, index) => ({
      oid: sha256(String(index)),
      sizeBytes: 1,
    }));
    const workspaces = { ...fixture.workspaces, lfs };
    const { count, missing } = await fetchObjects(workspaces, from, pointers);
    expect([count, missing.size, new Set(missing.values())]).toEqual([
      0,
      250,
      new Set(['it cannot be reached']),
    ]);
    // As many as are under way at a time.
    expect(asked).toBeLessThanOrEqual(4);
  });

  it('are not waited for by an attempt that is stopped', async () => {
    const { mirrorPath } = await prepareFor(fixture);
    const { lock } = fixture.workspaces;
    let release: () => void = () => undefined;
    const other = lock(`lfs:${mirrorPath}`, () => new Promise<void>((done) => (release = done)));
    const stopped = new AbortController();
    const from = { mirrorPath, repositoryUrl: fixture.source.url, freeBytes: Infinity };
    const waiting = fetchObjects(fixture.workspaces, { ...from, signal: stopped.signal }, []);
    stopped.abort();
    await expect(waiting).rejects.toThrow('the fetch was stopped');
    release();
    await other;
  });

  it('are taken from a workspace only as plain files with the right content', async () => {
    const workspace = await prepareFor(fixture);
    const place = async (content: string, text = content): Promise<string> => {
      const oid = sha256(content);
      const path = join(workspace.path, '.git/lfs/objects', oid.slice(0, 2), oid.slice(2, 4), oid);
      await fixture.write(path, text);
      return path;
    };
    const contents = ['first\n', 'second\n', 'third\n', 'fourth\n'];
    const [, second = '', third = '', fourth = ''] = contents;
    await place(contents[0] ?? '');
    await place(second, 'SECOND\n');
    await place(fourth);
    const pointers = contents.map((one) => ({ oid: sha256(one), sizeBytes: one.length }));
    const run = runAsProcess(workspace.path);
    const missing = await collectObjects(fixture.workspaces, run, workspace, pointers);
    expect(Object.fromEntries(missing)).toEqual({
      [sha256(second)]: 'has other content in .git/lfs of the workspace',
      [sha256(third)]: 'is not in .git/lfs of the workspace',
    });
    const stored = pointers.map((pointer) => isStored(workspace.mirrorPath, pointer));
    expect(await Promise.all(stored)).toEqual([true, false, false, true]);
    const again = runAsProcess(workspace.path);
    await collectObjects(fixture.workspaces, again, workspace, pointers.slice(0, 1));
    expect(again.calls).toEqual([]);
  });
});

describe('an image that has no git-lfs any more', { timeout: 60_000 }, () => {
  it('leaves no filter behind that would make every git add fail', async () => {
    const workspace = await prepareFor(fixture);
    const git = (...args: string[]) => fixture.git(workspace.path, ...args);
    for (const [key, value] of [
      ['clean', 'git-lfs clean'],
      ['required', 'true'],
    ] as const)
      git('config', `filter.lfs.${key}`, value);
    const bin = join(fixture.folder, 'bin');
    await fixture.write(join(bin, 'git-lfs'), '#!/bin/sh\nexit 127\n');
    await chmod(join(bin, 'git-lfs'), 0o755);
    const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
    const at = { path: workspace.path, identity: testIdentity };
    expect(await hasLfs(runAsProcess(workspace.path, { env }), at)).toBe(false);
    expect(() => git('config', '--get', 'filter.lfs.required')).toThrow(/./);
    expect(git('config', '--get', 'user.name').trim()).toBe(testIdentity.name);
  });
});
