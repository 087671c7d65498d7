import { chmod, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { updateMirror } from '../mirror/mirror.ts';
import { makeWorkspaceFixture } from '../testing/workspace-fixture.ts';
import type { WorkspaceFixture } from '../testing/workspace-fixture.ts';
import { DEFAULT_PUSH_LIMITS, checkPush } from './check-push.ts';

// Put together here, so that nobody's scanner takes this file for a leak.
const TOKEN = ['ghp', 'a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8'].join('_');
const WORKFLOW = '.github/workflows/ci.yml';

let fixture: WorkspaceFixture;
let author: string;
let first: string;
let base: string;
const git = (...args: string[]): string => fixture.git(author, ...args).trim();

/** The base branch changed a workflow in its last commit; the agent's branch stands on that. */
beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
  author = join(fixture.folder, 'author');
  first = await fixture.commitOnRemote('main', { [WORKFLOW]: 'on: old\n', 'lefthook.yml': 'a\n' });
  base = await fixture.commitOnRemote('main', { [WORKFLOW]: 'on: new\n' });
  git('checkout', '-q', '-b', 'work');
});
afterEach(() => fixture.dispose());

async function write(name: string, text: string): Promise<void> {
  await fixture.write(join(author, name), text);
}
function commit(message = 'Step'): void {
  git('add', '-A');
  git('commit', '-q', '--allow-empty', '-m', message);
}
/** A merge with these parents that has what lies in the work tree. */
function mergeAs(...parents: string[]): void {
  git('add', '-A');
  const tree = git('write-tree');
  const merged = git('commit-tree', ...parents.flatMap((one) => ['-p', one]), '-m', 'M', tree);
  git('reset', '-q', '--hard', merged);
}

async function problems(limits: Partial<typeof DEFAULT_PUSH_LIMITS> = {}, knownSecrets = ['k3y']) {
  const { path: mirrorPath } = await updateMirror(fixture.workspaces, fixture.source);
  git('push', '-q', '--force', mirrorPath, 'HEAD:refs/switchyard/test');
  return checkPush(fixture.workspaces, {
    mirrorPath,
    baseCommit: base,
    commitSha: git('rev-parse', 'HEAD'),
    knownSecrets,
    engineConfigPaths: ['.codex/**', '**/.codex/**'],
    limits: { ...DEFAULT_PUSH_LIMITS, ...limits },
  });
}
const found = async (limits = {}): Promise<string[]> =>
  (await problems(limits)).map(({ rule, path }) => `${rule} ${path}`).toSorted();

describe('protected files', () => {
  it('are found under names that stars of globs do not match', async () => {
    const hidden = ['.github/workflows/.evil.yml', '.husky/.d/pre-commit', 'sub/.a/.codex/.x'];
    for (const name of [...hidden, '.github/workflows/new\nline.yml']) await write(name, 'x\n');
    commit();
    expect(await found()).toEqual([
      'engine_config sub/.a/.codex/.x',
      'hook_file .husky/.d/pre-commit',
      'workflow_file .github/workflows/.evil.yml',
      'workflow_file .github/workflows/new?line.yml',
    ]);
  });

  it('include a link, a submodule or a file in the place of their folder', async () => {
    await symlink('src', join(author, '.husky'));
    git('rm', '-rq', '.github');
    git('update-index', '--add', '--cacheinfo', `160000,${base},.github`);
    git('add', '.husky');
    git('commit', '-qm', 'Step');
    expect(await found()).toEqual([
      'hook_file .husky',
      'workflow_file .github',
      `workflow_file ${WORKFLOW}`,
    ]);
  });

  it('include their mode, their removal and where a rename takes them', async () => {
    await chmod(join(author, WORKFLOW), 0o755);
    commit();
    expect(await found()).toEqual([`workflow_file ${WORKFLOW}`]);
    git('reset', '-q', '--hard', base);
    git('mv', 'lefthook.yml', 'kept.yml');
    git('mv', 'README.md', '.travis.yml');
    commit();
    expect(await found()).toEqual(['hook_file lefthook.yml', 'workflow_file .travis.yml']);
  });
});

describe('changes that a merge hides', () => {
  it('are found when an older state comes back, which differs from no parent', async () => {
    await write(WORKFLOW, 'on: old\n');
    mergeAs(base, first);
    expect(git('log', '--format=', '--name-only', '--diff-merges=combined', `${base}..HEAD`)).toBe(
      '',
    );
    expect(await found()).toEqual([`workflow_file ${WORKFLOW}`]);
    // Also when a later commit takes it back, and in a merge of three.
    git('checkout', '-q', base, '--', WORKFLOW);
    commit();
    expect(await found()).toEqual([`workflow_file ${WORKFLOW}`]);
    git('reset', '-q', '--hard', base);
    git('rm', '-q', 'lefthook.yml');
    mergeAs(base, first, git('rev-parse', `${first}^`));
    expect(await found()).toEqual(['hook_file lefthook.yml']);
  });

  it('are found when the base branch has moved on and was merged', async () => {
    const later = await fixture.commitOnRemote('main', { [WORKFLOW]: 'on: newest\n' });
    git('checkout', '-q', '-B', 'work', base);
    commit();
    const mine = git('rev-parse', 'HEAD');
    git('merge', '-q', '--no-edit', later);
    expect(await found()).toEqual([]);
    git('checkout', '-q', base, '--', WORKFLOW);
    mergeAs(mine, later);
    expect(await found()).toEqual([`workflow_file ${WORKFLOW}`]);
  });

  it('are what a merged branch of people changed, not what it merely has of old', async () => {
    git('checkout', '-q', '-B', 'stale', first);
    git('push', '-q', 'origin', 'stale');
    const stale = await fixture.commitOnRemote('stale', { 'stale.txt': 'x\n' });
    const theirs = await fixture.commitOnRemote('theirs', { 'lefthook.yml': 'b\n' });
    git('checkout', '-q', '-B', 'work', base);
    git('merge', '-q', '--no-edit', theirs, stale);
    expect(await found()).toEqual([]);
    await write(WORKFLOW, 'on: old\n');
    git('commit', '-q', '-a', '--amend', '--no-edit');
    expect(await found()).toEqual([`workflow_file ${WORKFLOW}`]);
  });

  it('are found in a history that never met the base', async () => {
    git('checkout', '-q', '--orphan', 'alone');
    git('rm', '-rqf', '.');
    await write('own.txt', 'x\n');
    commit();
    expect(await found()).toEqual(['hook_file lefthook.yml', `workflow_file ${WORKFLOW}`]);
  });

  it('count as files, and what people merged does not', async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`m/${at}`, 'x\n']));
    const later = await fixture.commitOnRemote('main', many);
    git('checkout', '-q', '-B', 'work', base);
    commit();
    git('merge', '-q', '--no-edit', later);
    expect(await found({ maxFiles: 5 })).toEqual([]);
    git('rm', '-rq', 'm');
    mergeAs(git('rev-parse', 'HEAD'), base);
    expect(await found({ maxFiles: 5 })).toEqual(['too_many_files null']);
  });
});

describe('secrets', () => {
  it('are found in a merge, also in a file that git takes for binary', async () => {
    const [one, two] = ['one\0\n', 'two\0\n'].map((text) => text);
    await write('data.bin', one ?? '');
    commit();
    const left = git('rev-parse', 'HEAD');
    git('checkout', '-q', base);
    await write('data.bin', two ?? '');
    commit();
    const right = git('rev-parse', 'HEAD');
    await write('data.bin', `three\0\nGITHUB_TOKEN=${TOKEN}\n`);
    mergeAs(left, right);
    expect(await problems()).toMatchObject([{ rule: 'secret', path: 'data.bin', line: 2 }]);
    await write('data.bin', 'three\0\nmy k3y\n');
    mergeAs(left, right);
    expect(await problems()).toMatchObject([{ rule: 'known_secret', path: 'data.bin', line: 2 }]);
  });

  it('are found in letters of two bytes', async () => {
    await writeFile(join(author, 'wide.txt'), Buffer.from(`\uFEFFt = ${TOKEN}\n`, 'utf16le'));
    commit();
    expect(await found()).toEqual(['secret wide.txt']);
  });

  it('are found in messages, names of people and names of files', async () => {
    commit(`Use ${TOKEN}`);
    expect(await found()).toEqual([`secret commit ${git('rev-parse', 'HEAD').slice(0, 12)}`]);
    git('reset', '-q', '--hard', base);
    git('-c', 'user.name=x', 'commit', '-q', '--allow-empty', '-m', 'x', '--author', 'k3y <a@b.c>');
    expect((await problems())[0]).toMatchObject({ rule: 'known_secret' });
    git('reset', '-q', '--hard', base);
    await write(`keys/${TOKEN}.txt`, 'x\n');
    commit();
    expect(await found()).toEqual(['secret names of files']);
  });
});
