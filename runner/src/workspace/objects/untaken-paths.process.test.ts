import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runAsProcess } from '../testing/run-as-process.ts';
import type { WorkspaceFixture } from '../testing/workspace-fixture.ts';
import { makeWorkspaceFixture, prepareFor, testIdentity } from '../testing/workspace-fixture.ts';
import type { PreparedWorkspace, Snapshot } from '../workspace.ts';
import type { SnapshotInput } from './snapshot.ts';
import { takeSnapshot } from './snapshot.ts';

let fixture: WorkspaceFixture;
let workspace: PreparedWorkspace;

beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
  workspace = await prepareFor(fixture);
});
afterEach(() => fixture.dispose());

const snapshot = (change: Partial<SnapshotInput> = {}): Promise<Snapshot> =>
  takeSnapshot(fixture.workspaces, runAsProcess(workspace.path, { readsByMode: true }), {
    workspace,
    attemptId: 'att-1',
    identity: testIdentity,
    message: 'SY-1: Fix it',
    agentStopped: true,
    ...change,
  });
const at = (name: string): string => join(workspace.path, name);
const git = (...args: string[]): string => fixture.git(workspace.path, ...args).trim();
const inMirror = (...args: string[]): string => fixture.git(workspace.mirrorPath, ...args).trim();
const filesOf = ({ commitSha }: Snapshot): string[] =>
  inMirror('-c', 'core.quotePath=false', 'ls-tree', '-r', '--name-only', commitSha ?? '').split(
    '\n',
  );
const edit = (name: string, text = `${name}\n`): Promise<void> => fixture.write(at(name), text);
const found = ({ problems }: Snapshot): string[] =>
  problems.map(({ rule, path }) => `${rule} ${path}`).toSorted();

async function repositoryIn(name: string, { committed }: { committed: boolean }): Promise<void> {
  await edit(`${name}/x`);
  fixture.git(at(name), 'init', '-q');
  if (!committed) return;
  fixture.git(at(name), 'add', 'x');
  fixture.git(at(name), 'commit', '-q', '-m', 'x');
}

describe('a repository inside the repository', () => {
  it('is named, with commits or without, and everything else is taken', async () => {
    await repositoryIn('empty', { committed: false });
    await repositoryIn('deep/er/full', { committed: true });
    await edit('work.txt');
    const taken = await snapshot();
    expect(found(taken)).toEqual(['embedded_repository deep/er/full', 'embedded_repository empty']);
    expect(taken.problems[0]?.message).toContain('.gitmodules');
    expect(filesOf(taken)).toEqual(['README.md', 'src/app.txt', 'work.txt']);
  });

  it('is named where it is all that there is', async () => {
    await repositoryIn('nested', { committed: true });
    const taken = await snapshot();
    expect(taken.commitSha).toBeNull();
    expect(found(taken)).toEqual(['embedded_repository nested']);
  });

  it('may be a linked worktree', async () => {
    git('worktree', 'add', '-q', '-b', 'aside', at('tree'));
    await edit('work.txt');
    const taken = await snapshot();
    expect(found(taken)).toEqual(['embedded_repository tree']);
    expect(filesOf(taken)).not.toContain('tree');
  });

  it('is taken where .gitmodules declares it, also beside what git cannot take', async () => {
    await repositoryIn('nested', { committed: true });
    await repositoryIn('empty', { committed: false });
    await edit('.gitmodules', '[submodule "n"]\n\tpath = nested\n\turl = https://example.test/n\n');
    const taken = await snapshot();
    expect(found(taken)).toEqual(['embedded_repository empty']);
    expect(taken.diff).toContain('Subproject commit');
  });

  it('is delivered as files once it lost its .git, also when the agent committed it', async () => {
    await repositoryIn('nested', { committed: true });
    git('add', '-A');
    git('commit', '-qm', 'with a pointer');
    const taken = await snapshot();
    expect(found(taken)).toEqual(['embedded_repository nested']);
    expect(taken.diff).not.toContain('Subproject commit');
    await rm(at('nested/.git'), { recursive: true });
    const mended = await snapshot();
    expect(mended.problems).toEqual([]);
    expect(mended.diff).toContain('b/nested/x');
  });

  it('may have any name, and of very many twenty are named', async () => {
    for (const name of ['a b', 'c\nd', '[e]*', ':(top)f', 'ü', '"g"'])
      await repositoryIn(name, { committed: name !== 'c\nd' });
    expect(found(await snapshot())).toEqual([
      'embedded_repository "g"',
      'embedded_repository :(top)f',
      'embedded_repository [e]*',
      'embedded_repository a b',
      'embedded_repository c?d',
      'embedded_repository ü',
    ]);
    for (let number = 0; number < 25; number += 1)
      await repositoryIn(`many-${number}`, { committed: false });
    await edit('work.txt');
    const taken = await snapshot({ agentStopped: false });
    expect(taken.problems).toHaveLength(20);
    expect(filesOf(taken)).toEqual(['README.md', 'src/app.txt', 'work.txt']);
  });

  it('is left out as well while a merge is open', async () => {
    git('checkout', '-qb', 'other');
    await edit('src/app.txt', 'theirs\n');
    git('commit', '-qam', 'theirs');
    git('checkout', '-q', '-');
    await edit('src/app.txt', 'ours\n');
    git('commit', '-qam', 'ours');
    expect(() => git('merge', 'other')).toThrow(/./);
    await repositoryIn('nested', { committed: true });
    await edit('work.txt');
    const taken = await snapshot();
    expect(found(taken)).toContain('embedded_repository nested');
    expect(found(taken)).toContain('merge_open null');
    expect(filesOf(taken)).toEqual(['README.md', 'src/app.txt', 'work.txt']);
  });
});

describe('what cannot be read', () => {
  it('is named and left out, and everything else is taken', async () => {
    for (const name of ['secret', 'two\nlines', 'locked/x', 'listed/y', '-rf', 'deep/in/z'])
      await edit(name);
    await edit('src/app.txt', 'changed\n');
    await edit('work.txt');
    for (const name of ['secret', 'two\nlines', 'locked', '-rf', 'deep/in', 'src/app.txt'])
      await chmod(at(name), 0);
    await chmod(at('listed'), 0o444);
    const taken = await snapshot();
    expect(found(taken)).toEqual([
      'unreadable_path -rf',
      'unreadable_path deep/in/',
      'unreadable_path listed/y',
      'unreadable_path locked/',
      'unreadable_path secret',
      'unreadable_path src/app.txt',
      'unreadable_path two?lines',
    ]);
    expect(taken.problems[0]?.message).toContain('cannot be read');
    expect(filesOf(taken)).toEqual(['README.md', 'src/app.txt', 'work.txt']);
    expect(inMirror('show', `${taken.commitSha}:src/app.txt`)).toContain('two');
  });

  it('is no problem where it is ignored', async () => {
    await edit('data/x');
    await edit('secret');
    await edit('.gitignore', 'data/\nsecret\n');
    await chmod(at('data'), 0);
    await chmod(at('secret'), 0);
    const taken = await snapshot();
    expect(taken.problems).toEqual([]);
    expect(filesOf(taken)).toContain('.gitignore');
  });

  it('is told for a folder whose name has two lines', async () => {
    await edit('two\nlines/x');
    await edit('two/x');
    await chmod(at('two\nlines'), 0);
    const taken = await snapshot();
    expect(taken.problems).toMatchObject([{ rule: 'unreadable_path' }]);
    expect(filesOf(taken)).toContain('two/x');
  });

  it('is taken once it can be read', async () => {
    await edit('secret');
    await chmod(at('secret'), 0);
    expect((await snapshot()).commitSha).toBeNull();
    await chmod(at('secret'), 0o644);
    expect(filesOf(await snapshot())).toContain('secret');
  });
});

describe('work that git refuses', () => {
  const refused = (words: string) => ({
    code: 'snapshot_refused',
    message: expect.stringContaining(words) as string,
  });

  it('is refused with its words: a required filter that fails', async () => {
    git('config', 'filter.broken.clean', 'false');
    git('config', 'filter.broken.required', 'true');
    await edit('.gitattributes', '*.bin filter=broken\n');
    await edit('a.bin');
    const words = "a.bin: clean filter 'broken' failed";
    await expect(snapshot()).rejects.toMatchObject(refused(words));
    await expect(snapshot({ agentStopped: false })).rejects.toMatchObject(refused(words));
    await edit('.gitattributes', '');
    expect(filesOf(await snapshot())).toContain('a.bin');
  });

  it('is refused with its words: a name that no repository may have', async () => {
    await edit('git~1/x');
    await edit('work.txt');
    await expect(snapshot()).rejects.toMatchObject(refused('git~1'));
  });

  it('is not to blame when the disk is full', async () => {
    const run = runAsProcess(workspace.path);
    const full: typeof run = Object.assign(
      async (command: Parameters<typeof run>[0]) => ({
        ...(await run(command)),
        exitCode: 23,
        stderr: 'error: file write error: No space left on device\nfatal: adding files failed\n',
      }),
      { calls: run.calls },
    );
    await writeFile(at('work.txt'), 'work\n');
    const taken = takeSnapshot(fixture.workspaces, full, {
      workspace,
      attemptId: 'att-1',
      identity: testIdentity,
      message: 'SY-1: Fix it',
      agentStopped: true,
    });
    await expect(taken).rejects.toMatchObject({ code: 'git_failed' });
  });
});
