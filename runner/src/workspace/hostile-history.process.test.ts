import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { assertTreesFit } from './objects/assert-trees-fit.ts';
import { diffBranches } from './branches/diff-branches.ts';
import { IMPORT_LIMITS, READ_LIMITS, TREE_LIMITS } from './git/git-limits.ts';
import { importBundle } from './objects/import-bundle.ts';
import { mergeBranch } from './branches/merge-branch.ts';
import { mirrorCommit, updateMirror } from './mirror/mirror.ts';
import { prepareWorkspace } from './prepare-workspace.ts';
import { HandmadeBundle, file, folder, treeBomb } from './testing/handmade-bundle.ts';
import type { WorkspaceFixture } from './testing/workspace-fixture.ts';
import { makeWorkspaceFixture, testIdentity } from './testing/workspace-fixture.ts';
import { WorkspaceError } from './workspace.ts';

const MiB = 1024 * 1024;
const REF = 'refs/switchyard/snapshot-x';
const TARGET = 'refs/switchyard/attempts/evil';

let fixture: WorkspaceFixture;
let mirrorPath: string;
let base: string;
let bundle: HandmadeBundle;

beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
  mirrorPath = (await updateMirror(fixture.workspaces, fixture.source)).path;
  base = fixture.git(mirrorPath, 'rev-parse', 'refs/heads/main').trim();
  bundle = new HandmadeBundle();
});
afterEach(() => fixture.dispose());

const packs = (): Promise<string[]> => readdir(join(mirrorPath, 'objects', 'pack'));

async function take(
  commit: string,
  more: { limits?: typeof IMPORT_LIMITS; saidObjects?: number } = {},
): Promise<string | undefined> {
  const bundlePath = join(fixture.folder, 'x.bundle');
  await bundle.write(bundlePath, { commit, ref: REF, ...more });
  const { limits } = more;
  const refs = await importBundle(fixture.workspaces, {
    mirrorPath,
    bundlePath,
    targetOf: (ref) => (ref === REF ? TARGET : null),
    ...(limits === undefined ? {} : { limits }),
  });
  return refs.get(REF);
}

/** How it was refused, and what is left of it in the mirror or beside it: nothing. */
async function refusal(taken: Promise<unknown>): Promise<string> {
  const before = await packs();
  const words = await taken.then(
    () => 'taken',
    (error: unknown) => (error instanceof WorkspaceError ? `${error.code}: ${error.message}` : ''),
  );
  expect(await packs()).toEqual(before);
  expect(fixture.git(mirrorPath, 'for-each-ref', TARGET)).toBe('');
  expect(await readdir(fixture.workspaces.paths.temporary)).toEqual([]);
  return words;
}

describe('work that is far larger than its bundle', () => {
  it('is taken when it is ordinary', async () => {
    const tree = bundle.tree(
      file('a.txt', bundle.blob('a')),
      folder('b', bundle.tree(file('c', bundle.blob('c')))),
    );
    const commit = bundle.commit(tree, [base]);
    expect(await take(commit)).toBe(commit);
    expect(await mirrorCommit(fixture.workspaces, mirrorPath, TARGET)).toBe(commit);
    fixture.git(mirrorPath, 'fsck', '--strict');
    expect(await readdir(fixture.workspaces.paths.temporary)).toEqual([]);
  });

  it('is counted, not expanded: ten levels of ten equal folders', async () => {
    const commit = bundle.commit(treeBomb(bundle, 10), [base]);
    expect(await refusal(take(commit))).toMatch(
      /^limit_exceeded: .*11,111,111,110 files and folders/,
    );
  });

  it('is counted in one go: three levels of 200,000 equal folders', async () => {
    let tree = bundle.tree(file('x', bundle.blob('x')));
    for (let level = 0; level < 3; level += 1) {
      const id = Buffer.from(tree, 'hex');
      const entries = Array.from({ length: 200_000 }, (_, index) =>
        Buffer.concat([Buffer.from(`40000 d${1_000_000 + index}\0`), id]),
      );
      tree = bundle.add('tree', Buffer.concat(entries));
    }
    expect(await refusal(take(bundle.commit(tree, [base])))).toMatch(
      /^limit_exceeded: .*files and folders/,
    );
  });

  it('is found in an earlier commit as well', async () => {
    const bomb = bundle.commit(treeBomb(bundle, 10), [base]);
    const commit = bundle.commit(bundle.tree(file('a', bundle.blob('a'))), [bomb]);
    expect(await refusal(take(commit))).toMatch(/^limit_exceeded: .*files and folders/);
  });

  it('may have neither tens of thousands of levels nor endless paths', async () => {
    let deep = bundle.tree(file('x', bundle.blob('x')));
    for (let level = 0; level < 30_000; level += 1) deep = bundle.tree(folder('d', deep));
    expect(await refusal(take(bundle.commit(deep, [base])))).toMatch(
      /^limit_exceeded: .*folders nested/,
    );
    let long = bundle.tree(file('x', bundle.blob('x')));
    for (let level = 0; level < 3; level += 1) long = bundle.tree(folder('d'.repeat(2_000), long));
    expect(await refusal(take(bundle.commit(long, [base])))).toMatch(
      /^limit_exceeded: .*bytes in a path/,
    );
  });

  it('has a limit for each file, each other object, and all of them', async () => {
    const zeros = bundle.blob(Buffer.alloc(8 * MiB));
    const commit = bundle.commit(bundle.tree(file('zeros', zeros)), [base]);
    const blob = { ...IMPORT_LIMITS, MAX_BLOB_BYTES: 4 * MiB } as never;
    expect(await refusal(take(commit, { limits: blob }))).toMatch(
      /^limit_exceeded: .*a file has 8 MiB.* 4 MiB/,
    );
    const all = { ...IMPORT_LIMITS, MAX_UNPACKED_BYTES: 4 * MiB } as never;
    expect(await refusal(take(commit, { limits: all }))).toMatch(
      /^limit_exceeded: .*unpacked, has 9 MiB/,
    );
    const wordy = bundle.commit(bundle.tree(), [base], 'a'.repeat(33 * MiB));
    expect(await refusal(take(wordy))).toMatch(/^limit_exceeded: .*a commit object has 34 MiB/);
  });

  it('cannot make git take memory by what it says', async () => {
    const commit = bundle.commit(bundle.tree(), [base]);
    expect(await refusal(take(commit, { saidObjects: 4e9 }))).toMatch(
      /^limit_exceeded: .*4000000000 objects/,
    );
    const size = 16 * MiB;
    bundle.repeated(bundle.blob(Buffer.alloc(size)), size, 200);
    expect(await refusal(take(commit))).toMatch(
      /^limit_exceeded: .*index-pack needs more than 2048 MiB of memory/,
    );
  });

  it('has a limit of commits', async () => {
    let commit = base;
    const tree = bundle.tree();
    for (let count = 0; count <= IMPORT_LIMITS.MAX_COMMITS; count += 1)
      commit = bundle.commit(tree, [commit], `${count}`);
    expect(await refusal(take(commit))).toMatch(/^limit_exceeded: .*5001 commits/);
  });

  it('brings few refs, and only those that were asked for', async () => {
    const commit = bundle.commit(bundle.tree(), [base]);
    const bundlePath = join(fixture.folder, 'x.bundle');
    const taken = async (count: number): Promise<unknown> => {
      const more = Array.from({ length: count }, (_, at) => `${commit} ${REF}-${at}`);
      await bundle.write(bundlePath, { commit, ref: [REF, ...more].join('\n') });
      const targetOf = (ref: string): string => ref.replace(REF, TARGET);
      return importBundle(fixture.workspaces, { mirrorPath, bundlePath, targetOf });
    };
    expect(await refusal(taken(64))).toMatch(/^snapshot_refused: .*not readable/);
    await bundle.write(bundlePath, { commit, ref: 'refs/heads/main' });
    const unasked = importBundle(fixture.workspaces, {
      mirrorPath,
      bundlePath,
      targetOf: () => null,
    });
    expect(await refusal(unasked)).toMatch(/^snapshot_refused: .*not readable/);
  });

  it('is a commit and nothing else', async () => {
    const commit = bundle.commit(bundle.tree(), [base]);
    const tag = `object ${commit}\ntype commit\ntag v1\ntagger D <d@example.test> 1 +0000\n\nx\n`;
    expect(await refusal(take(bundle.add('tag', tag)))).toMatch(
      /^snapshot_refused: .*not readable/,
    );
    expect(await refusal(take(bundle.tree()))).toMatch(/^snapshot_refused: .*not readable/);
  });

  it.each(['.GIT', 'git~1', '.g\u200Cit', '.git ', '.git::$INDEX_ALLOCATION'])(
    'has no folder that some file system takes for .git: %j',
    async (name) => {
      const inner = bundle.tree(file('config', bundle.blob('evil')));
      const commit = bundle.commit(bundle.tree(folder(name, inner)), [base]);
      expect(await refusal(take(commit))).toMatch(/^snapshot_refused: .*hasDotgit/);
    },
  );

  it.each([
    ['.gitmodules', '[submodule "a"]\n\tpath = a\n\turl = -u./evil\n', /gitmodulesUrl/],
    ['.gitmodules', '[submodule "../a"]\n\tpath = a\n\turl = ./a\n', /gitmodulesName/],
    ['.gitattributes', `${'*'.repeat(4_000)} text\n`, /gitattributesLineLength/],
  ])('has no %s that git itself could trip over', async (name, text, words) => {
    const commit = bundle.commit(bundle.tree(file(name, bundle.blob(text))), [base]);
    expect(await refusal(take(commit))).toMatch(words);
  });
});

describe('a remote with a bomb', () => {
  /** On the remote itself, where nobody counted. */
  async function plant(branch: string): Promise<string> {
    const bundlePath = join(fixture.folder, 'bomb.bundle');
    const commit = bundle.commit(treeBomb(bundle, 10), [base]);
    await bundle.write(bundlePath, { commit, ref: REF });
    fixture.git(fixture.remotePath, 'fetch', '-q', bundlePath, `${REF}:refs/heads/${branch}`);
    return commit;
  }

  it('is neither compared nor merged', async () => {
    await plant('bomb');
    const { workspaces, source } = fixture;
    const both = { source, base: 'main', branch: 'bomb' };
    const words = { code: 'limit_exceeded', message: expect.stringContaining('11,111,111,110') };
    await expect(diffBranches(workspaces, both)).rejects.toMatchObject(words);
    const merge = { ...both, message: 'Merge', identity: testIdentity };
    await expect(mergeBranch(workspaces, merge)).rejects.toMatchObject(words);
  });

  it('is not written out', async () => {
    fixture.git(fixture.remotePath, 'symbolic-ref', 'HEAD', 'refs/heads/bomb');
    await plant('bomb');
    const prepared = prepareWorkspace(fixture.workspaces, {
      issue: { identifier: 'SY-1', title: 'x' },
      source: fixture.source,
      identity: testIdentity,
      nowMs: 1,
    });
    await expect(prepared).rejects.toMatchObject({ code: 'limit_exceeded' });
    expect(await readdir(fixture.workspaces.paths.workspaces)).toEqual([]);
  });

  it('is weighed before it is written out', async () => {
    const { workspaces } = fixture;
    const roots = [base];
    await assertTreesFit(workspaces, { mirrorPath, roots, withBytes: true });
    const limits = { ...TREE_LIMITS, MAX_CHECKOUT_BYTES: 19 };
    const weighed = assertTreesFit(workspaces, { mirrorPath, roots, withBytes: true, limits });
    await expect(weighed).rejects.toMatchObject({
      code: 'limit_exceeded',
      message: expect.stringContaining('20 bytes in its files; at most 19') as string,
    });
  });

  it('ends git by the limit of its memory where nobody counts', async () => {
    const commit = await plant('bomb');
    await updateMirror(fixture.workspaces, fixture.source);
    const diff = fixture.workspaces.git.run({
      purpose: 'diff',
      gitDir: mirrorPath,
      args: ['diff', '--shortstat', base, commit],
      limits: { ...READ_LIMITS, memoryBytes: 256 * MiB },
    });
    await expect(diff).rejects.toMatchObject({
      code: 'limit_exceeded',
      message: 'git diff needs more than 256 MiB of memory and was stopped',
    });
  });
});
