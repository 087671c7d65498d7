import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { modeLabel } from '../../dashboard/src/ui/diff/mode-label.ts';
import { parseDiff } from '../../dashboard/src/ui/diff/parse-diff.ts';
import { diffBranches } from '../../runner/src/workspace/branches/diff-branches.ts';
import { mergeBranch } from '../../runner/src/workspace/branches/merge-branch.ts';
import { pushBranch } from '../../runner/src/workspace/branches/push-branch.ts';
import { takeSnapshot } from '../../runner/src/workspace/objects/snapshot.ts';
import {
  checkPush,
  DEFAULT_PUSH_LIMITS,
} from '../../runner/src/workspace/push-checks/check-push.ts';
import { runAsProcess } from '../../runner/src/workspace/testing/run-as-process.ts';
import {
  makeWorkspaceFixture,
  prepareFor,
  testIdentity,
  type WorkspaceFixture,
} from '../../runner/src/workspace/testing/workspace-fixture.ts';
import type { PreparedWorkspace, Snapshot } from '../../runner/src/workspace/workspace.ts';

/** A file's name, how a sentence says it and how the viewer of differences does. */
type Name = { bytes: Buffer; said: string; viewed: string };
const name = (text: string, said = text, viewed = text): Name => ({
  bytes: Buffer.from(text),
  said,
  viewed,
});

const NAMES: readonly Name[] = [
  name('a b.txt'),
  name(' lead and trail '),
  name('a"b.txt'),
  name('"quoted"'),
  name('back\\slash\\101'),
  name('tab\there', 'tab?here', 'tab[U+0009]here'),
  name('two\nlines:3', 'two?lines:3', 'two[U+000A]lines:3'),
  name('bell\u0007.txt', 'bell?.txt', 'bell[U+0007].txt'),
  name('Aufträge/日本 語.md'),
  name('x b/ü".txt'),
  name('👩‍💻 🦄.txt'),
  name('-rf'),
  name(':(top)x'),
  name(':!x'),
  name('[ab]*.txt'),
  name('*'),
  { bytes: Buffer.from('caf\xe9.txt', 'latin1'), said: 'caf\ufffd.txt', viewed: 'caf\ufffd.txt' },
  { bytes: Buffer.from('q"\xe9', 'latin1'), said: 'q"\ufffd', viewed: 'q"\ufffd' },
];
const TOKEN = ['ghp', 'a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8'].join('_');

let fixture: WorkspaceFixture;
let workspace: PreparedWorkspace;

beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
  workspace = await prepareFor(fixture);
});
afterEach(() => fixture.dispose());

const pathOf = (file: Buffer | string): Buffer =>
  Buffer.concat([Buffer.from(`${workspace.path}/`), Buffer.from(file)]);
const git = (...args: string[]): string => fixture.git(workspace.path, ...args).trim();
const commit = (message: string): string => {
  git('add', '-A');
  git('commit', '-qm', message);
  return git('rev-parse', 'HEAD');
};

async function edit(file: Buffer | string, text: string): Promise<void> {
  const path = pathOf(file);
  const folder = path.subarray(0, path.lastIndexOf('/'));
  await mkdir(folder, { recursive: true });
  await writeFile(path, text);
}

const snapshot = (): Promise<Snapshot> =>
  takeSnapshot(fixture.workspaces, runAsProcess(workspace.path, { readsByMode: true }), {
    workspace,
    attemptId: 'att-1',
    identity: testIdentity,
    message: 'SY-1: Fix it',
    agentStopped: true,
  });

/** Names in a commit of the mirror, as bytes. */
function namesIn(commitSha: string | null): string[] {
  const args = ['ls-tree', '-r', '-z', '--name-only', commitSha ?? ''];
  const listed = execFileSync('git', args, { cwd: workspace.mirrorPath });
  return listed.toString('latin1').split('\0').slice(0, -1).toSorted();
}
const latin = ({ bytes }: Name): string => bytes.toString('latin1');
const sorted = (list: readonly (string | null)[]) => list.map(String).toSorted();
const viewed = sorted(NAMES.map((one) => one.viewed));
const shown = ({ diff }: Snapshot) => parseDiff(diff);
const paths = (files: ReturnType<typeof parseDiff>) => files.map(({ path }) => path).toSorted();

async function checked(commitSha: string) {
  const { mirrorPath, baseCommit } = workspace;
  return checkPush(fixture.workspaces, {
    mirrorPath,
    baseCommit,
    commitSha,
    knownSecrets: [],
    limits: DEFAULT_PUSH_LIMITS,
    engineConfigPaths: [],
  });
}

describe('files of any name', () => {
  it('are taken, and viewed under their names when added, changed and deleted', async () => {
    for (const { bytes } of NAMES) await edit(bytes, 'one\n');
    const added = await snapshot();
    expect(namesIn(added.commitSha)).toEqual(
      [...NAMES.map(latin), 'README.md', 'src/app.txt'].toSorted(),
    );
    expect(added.diffStat.files).toBe(NAMES.length);
    expect(paths(shown(added))).toEqual(viewed);
    expect(
      shown(added).every(({ change, additions }) => change === 'added' && additions === 1),
    ).toBe(true);
    // From here on they are there already.
    workspace = { ...workspace, baseCommit: added.commitSha ?? '' };
    for (const { bytes } of NAMES) await edit(bytes, 'two\n');
    expect(paths(shown(await snapshot()))).toEqual(viewed);
    git('rm', '-rqf', '--', ':/');
    const gone = shown(await snapshot()).filter(({ path }) => viewed.includes(path));
    expect(paths(gone)).toEqual(viewed);
    expect(gone.every(({ change }) => change === 'deleted')).toBe(true);
  });

  it('are viewed under both names when they are renamed', async () => {
    for (const [index, { bytes }] of NAMES.entries()) await edit(bytes, `file ${index}\n`);
    workspace = { ...workspace, baseCommit: (await snapshot()).commitSha ?? '' };
    for (const [index, { bytes }] of NAMES.entries())
      await rename(pathOf(bytes), pathOf(`moved "${index}" ü`));
    const moved = shown(await snapshot());
    expect(sorted(moved.map(({ oldPath }) => oldPath))).toEqual(viewed);
    expect(paths(moved)).toEqual(NAMES.map((_, index) => `moved "${index}" ü`).toSorted());
    expect(moved.every(({ change }) => change === 'renamed')).toBe(true);
  });

  it('are named as they are where they hold a secret', async () => {
    for (const { bytes } of NAMES) await edit(bytes, `GITHUB_TOKEN=${TOKEN}\n`);
    const { commitSha } = await snapshot();
    const problems = (await checked(commitSha ?? '')).filter(({ line }) => line !== null);
    expect(sorted(problems.map(({ path }) => path))).toEqual(sorted(NAMES.map(({ said }) => said)));
  });

  it('are named as they are where nobody may change them', async () => {
    const folder = '.github/workflows/';
    for (const { bytes } of NAMES) await edit(Buffer.concat([Buffer.from(folder), bytes]), 'x\n');
    const { commitSha } = await snapshot();
    const named = (await checked(commitSha ?? '')).map(({ path }) => path);
    expect(sorted(named)).toEqual(sorted(NAMES.map(({ said }) => `${folder}${said}`)));
  });

  // Findings are at most 20: the names go in three groups.
  it.each([0, 1, 2])(
    'are named as they are in conflict and with its markers (%i)',
    async (part) => {
      const names = NAMES.filter((_, index) => index % 3 === part);
      for (const { bytes } of names) await edit(bytes, 'base\n');
      const base = commit('base');
      git('checkout', '-qb', 'other');
      for (const { bytes } of names) await edit(bytes, 'theirs\n');
      commit('theirs');
      git('checkout', '-qB', workspace.branch, base);
      for (const { bytes } of names) await edit(bytes, 'ours\n');
      commit('ours');
      expect(() => git('merge', 'other')).toThrow(/./);
      const { problems } = await snapshot();
      const named = (wanted: string) =>
        problems.flatMap(({ rule, path, line }) => (rule === wanted ? [`${line} ${path}`] : []));
      const said = (line: number | null) => names.map((one) => `${line} ${one.said}`);
      expect(named('unmerged_path').toSorted()).toEqual(said(null).toSorted());
      expect(named('conflict_marker').toSorted()).toEqual(said(1).toSorted());
    },
  );

  it('are named as they are where two branches conflict', async () => {
    const [base, tips] = ['main', new Map<string, string>()];
    for (const branch of ['switchyard/one', 'switchyard/two']) {
      git('checkout', '-qB', workspace.branch, workspace.baseCommit);
      for (const { bytes } of NAMES) await edit(bytes, `${branch}\n`);
      commit(branch);
      tips.set(branch, (await snapshot()).commitSha ?? '');
    }
    for (const [branch, commitSha] of tips) {
      const { mirrorPath } = workspace;
      const repositoryUrl = fixture.source.url;
      const target = { mirrorPath, repositoryUrl, branch, commitSha, expectedSha: null };
      await pushBranch(fixture.workspaces, target);
    }
    const input = { source: fixture.source, base, message: 'Merge', identity: testIdentity };
    const { diff } = await diffBranches(fixture.workspaces, { ...input, branch: 'switchyard/one' });
    expect(paths(parseDiff(diff))).toEqual(viewed);
    await mergeBranch(fixture.workspaces, { ...input, branch: 'switchyard/one' });
    const merged = mergeBranch(fixture.workspaces, { ...input, branch: 'switchyard/two' });
    const error = await merged.then(
      () => null,
      (thrown: Error) => thrown,
    );
    for (const { said } of NAMES) expect(error?.message).toContain(said);
  });
});

describe('repositories inside, of any name', () => {
  const FOLDERS = ['サブ', 'my "app"', 'a b', 'tab\there', '-x', '[s]*', ':(top)s', 'back\\slash'];

  it('are delivered where .gitmodules declares them', async () => {
    // Git refuses `-x` itself: it could be taken for an option.
    const folders = FOLDERS.filter((folder) => folder !== '-x');
    for (const [index, folder] of folders.entries()) {
      await edit(`${folder}/x`, 'x\n');
      const path = pathOf(folder).toString();
      fixture.git(path, 'init', '-q');
      fixture.git(path, 'add', 'x');
      fixture.git(path, 'commit', '-q', '-m', 'x');
      git('config', '-f', '.gitmodules', `submodule.${folder}.path`, folder);
      git(
        'config',
        '-f',
        '.gitmodules',
        `submodule.${folder}.url`,
        `https://example.test/${index}`,
      );
    }
    const taken = await snapshot();
    expect(taken.problems).toEqual([]);
    expect(namesIn(taken.commitSha)).toEqual(
      [
        ...folders.map((folder) => Buffer.from(folder).toString('latin1')),
        '.gitmodules',
        'README.md',
      ]
        .concat('src/app.txt')
        .toSorted(),
    );
    expect(await checked(taken.commitSha ?? '')).toEqual([]);
  });

  it('are delivered as git itself adds them', async () => {
    const source = join(fixture.folder, 'inner');
    await mkdir(source);
    fixture.git(source, 'init', '-q');
    fixture.git(source, 'commit', '-q', '--allow-empty', '-m', 'x');
    const add = ['-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', '--', source];
    for (const folder of ['サブ', 'my "app"', 'a b']) git(...add, folder);
    const taken = await snapshot();
    expect(taken.problems).toEqual([]);
    expect(paths(shown(taken))).toEqual(['.gitmodules', 'a b', 'my "app"', 'サブ']);
  });

  it('are named as they are where nothing declares them', async () => {
    for (const folder of FOLDERS) {
      await edit(`${folder}/x`, 'x\n');
      fixture.git(pathOf(folder).toString(), 'init', '-q');
    }
    await edit('work.txt', 'work\n');
    const taken = await snapshot();
    expect(sorted(taken.problems.map(({ path }) => path))).toEqual(
      sorted(FOLDERS.map((folder) => folder.replace('\t', '?'))),
    );
    expect(namesIn(taken.commitSha)).toEqual(['README.md', 'src/app.txt', 'work.txt']);
  });
});

describe('what cannot be read, of any name', () => {
  it('is named as it is, and everything else is taken', async () => {
    const names = NAMES.filter((_, index) => index % 2 === 0);
    for (const { bytes } of names) await edit(bytes, 'x\n');
    for (const { bytes } of names) await chmod(pathOf(bytes), 0);
    for (const folder of ['"ü"', '日本', '👩‍💻']) {
      await edit(`${folder}/x`, 'x\n');
      await chmod(pathOf(folder), 0);
    }
    await edit('work.txt', 'work\n');
    const taken = await snapshot();
    expect(taken.problems.every(({ rule }) => rule === 'unreadable_path')).toBe(true);
    expect(sorted(taken.problems.map(({ path }) => path))).toEqual(
      sorted([...names.map(({ said }) => said), '"ü"/', '日本/', '👩‍💻/']),
    );
    expect(namesIn(taken.commitSha)).toEqual(['README.md', 'src/app.txt', 'work.txt']);
  });

  it('is named in the words of git where it refuses a name', async () => {
    await edit('.gitattributes', '*.bin filter=broken\n');
    git('config', 'filter.broken.clean', 'false');
    git('config', 'filter.broken.required', 'true');
    await edit('Aufträge/日本 👩‍💻 "x".bin', 'x\n');
    await expect(snapshot()).rejects.toMatchObject({
      code: 'snapshot_refused',
      message: expect.stringContaining('Aufträge/日本 👩‍💻 "x".bin: clean filter') as string,
    });
  });
});

describe('a change of a mode', () => {
  it('is told with the size of the work, and viewed in words', async () => {
    for (const { bytes } of NAMES) await edit(bytes, 'one\n');
    await edit('was.sh', 'one\n');
    await chmod(pathOf('was.sh'), 0o755);
    workspace = { ...workspace, baseCommit: (await snapshot()).commitSha ?? '' };
    for (const { bytes } of NAMES) await chmod(pathOf(bytes), 0o755);
    await chmod(pathOf('was.sh'), 0o644);
    const taken = await snapshot();
    expect(taken.diffStat).toMatchObject({ files: NAMES.length + 1, insertions: 0, deletions: 0 });
    const told = taken.diffStat.modeChanges?.map(({ path, from, to }) => `${path} ${from} ${to}`);
    expect(sorted(told ?? [])).toEqual(
      sorted([...NAMES.map(({ said }) => `${said} 100644 100755`), 'was.sh 100755 100644']),
    );
    const words = shown(taken).map((file) => `${file.path} ${modeLabel(file)}`);
    expect(sorted(words)).toEqual(
      sorted([...viewed.map((path) => `${path} now executable`), 'was.sh no longer executable']),
    );
  });

  it('is told of a renamed file too, and at most fifty are told', async () => {
    for (let number = 0; number < 60; number += 1) await edit(`many/${number}`, `${number}\n`);
    workspace = { ...workspace, baseCommit: (await snapshot()).commitSha ?? '' };
    await rename(pathOf('many/7'), pathOf('ü "moved"'));
    await chmod(pathOf('ü "moved"'), 0o755);
    const one = await snapshot();
    const modeChanges = [{ path: 'ü "moved"', from: '100644', to: '100755' }];
    expect(one.diffStat).toEqual({ files: 1, insertions: 0, deletions: 0, modeChanges });
    for (let number = 8; number < 60; number += 1) await chmod(pathOf(`many/${number}`), 0o755);
    expect((await snapshot()).diffStat.modeChanges).toHaveLength(50);
  });
});
