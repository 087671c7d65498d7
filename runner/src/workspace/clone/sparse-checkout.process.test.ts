import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { takeSnapshot } from '../objects/snapshot.ts';
import { prepareWorkspace } from '../prepare-workspace.ts';
import { runAsProcess } from '../testing/run-as-process.ts';
import type { WorkspaceFixture } from '../testing/workspace-fixture.ts';
import { makeWorkspaceFixture, testIdentity } from '../testing/workspace-fixture.ts';
import type { PreparedWorkspace, Snapshot } from '../workspace.ts';
import { sparseText } from './sparse-text.ts';

let fixture: WorkspaceFixture;
let workspace: PreparedWorkspace;
const sparsePaths = ['packages/shop', 'tools'];
beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
  await fixture.commitOnRemote('main', {
    'packages/shop/src/shop.txt': 'shop\n',
    'packages/other/other.txt': 'other\n',
    'packages/package.txt': 'above\n',
    'tools/tool.txt': 'tool\n',
  });
  workspace = await prepareWorkspace(fixture.workspaces, {
    issue: { identifier: 'SY-1', title: 'Fix it' },
    source: fixture.source,
    identity: testIdentity,
    sparsePaths,
    nowMs: 1,
  });
});
afterEach(() => fixture.dispose());

const inside = (name: string): string => join(workspace.path, name);
const snapshot = (agentStopped = true): Promise<Snapshot> =>
  takeSnapshot(fixture.workspaces, runAsProcess(workspace.path), {
    workspace,
    attemptId: 'a',
    identity: testIdentity,
    message: 'm',
    agentStopped,
  });
const changed = (sha: string | null): string[] =>
  fixture
    .git(workspace.mirrorPath, 'diff', '--name-status', workspace.baseCommit, sha ?? '')
    .split('\n')
    .filter((line) => line !== '');

it('checks out the folders and the files above them, as git itself would', async () => {
  const there = [
    'README.md',
    'packages/package.txt',
    'packages/shop/src/shop.txt',
    'tools/tool.txt',
  ];
  for (const name of there) expect(existsSync(inside(name))).toBe(true);
  for (const name of ['src', 'packages/other']) expect(existsSync(inside(name))).toBe(false);
  expect(fixture.git(workspace.path, 'status', '--porcelain')).toBe('');
  const written = await readFile(inside('.git/info/sparse-checkout'), 'utf8');
  const nested = [...sparsePaths, 'tools/deep', 'a/b/c', 'a/b'];
  fixture.git(workspace.path, 'sparse-checkout', 'set', '--cone', ...sparsePaths);
  expect(await readFile(inside('.git/info/sparse-checkout'), 'utf8')).toBe(written);
  fixture.git(workspace.path, 'sparse-checkout', 'set', '--cone', ...nested);
  expect(await readFile(inside('.git/info/sparse-checkout'), 'utf8')).toBe(sparseText(nested));
});

it('delivers what was changed, also outside the folders, and deletes nothing', async () => {
  await writeFile(inside('tools/tool.txt'), 'better\n');
  await mkdir(inside('elsewhere'));
  await writeFile(inside('elsewhere/new.txt'), 'new\n');
  const { commitSha } = await snapshot();
  expect(changed(commitSha)).toEqual(['A\telsewhere/new.txt', 'M\ttools/tool.txt']);
});

it('deletes nothing in a commit beside an open merge', async () => {
  fixture.git(workspace.path, 'commit', '-q', '--allow-empty', '-m', 'mine');
  const head = fixture.git(workspace.path, 'rev-parse', 'HEAD').trim();
  await writeFile(inside('.git/MERGE_HEAD'), `${head}\n`);
  await writeFile(inside('tools/tool.txt'), 'better\n');
  const { commitSha, problems } = await snapshot();
  expect(problems.map(({ rule }) => rule)).toContain('merge_open');
  expect(changed(commitSha)).toEqual(['M\ttools/tool.txt']);
});
