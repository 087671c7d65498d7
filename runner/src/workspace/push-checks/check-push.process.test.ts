import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { updateMirror } from '../mirror/mirror.ts';
import { makeWorkspaceFixture } from '../testing/workspace-fixture.ts';
import type { WorkspaceFixture } from '../testing/workspace-fixture.ts';
import { addedLines } from './added-lines.ts';
import { DEFAULT_PUSH_LIMITS, checkPush } from './check-push.ts';
import type { PushProblem } from './check-push.ts';

// Put together here, so that nobody's scanner takes this file for a leak.
const TOKEN = ['ghp', 'a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8'].join('_');
const KEY = 'provider-key-of-this-installation';

let fixture: WorkspaceFixture;
let mirrorPath: string;
let baseCommit: string;

beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
  mirrorPath = (await updateMirror(fixture.workspaces, fixture.source)).path;
  baseCommit = fixture.git(mirrorPath, 'rev-parse', 'refs/heads/main').trim();
});
afterEach(() => fixture.dispose());

/** One commit per entry, on top of each other and known to the mirror only. */
async function commits(...steps: Record<string, string | null>[]): Promise<string> {
  const author = join(fixture.folder, 'author');
  fixture.git(author, 'checkout', '--quiet', '-B', 'work', 'main');
  for (const files of steps) {
    for (const [name, text] of Object.entries(files)) {
      if (text === null) fixture.git(author, 'rm', '--quiet', '--force', name);
      else await fixture.write(join(author, name), text);
    }
    fixture.git(author, 'add', '-A');
    fixture.git(author, 'commit', '--quiet', '-m', 'Step');
  }
  fixture.git(author, 'push', '--quiet', '--force', mirrorPath, 'HEAD:refs/switchyard/test');
  return fixture.git(author, 'rev-parse', 'HEAD').trim();
}

const check = (
  commitSha: string,
  limits: Partial<typeof DEFAULT_PUSH_LIMITS> = {},
): Promise<PushProblem[]> =>
  checkPush(fixture.workspaces, {
    mirrorPath,
    baseCommit,
    commitSha,
    knownSecrets: [KEY],
    engineConfigPaths: ['**/.agent/**'],
    limits: { ...DEFAULT_PUSH_LIMITS, ...limits },
  });

describe('checks before a push', () => {
  it('finds nothing wrong with ordinary work', async () => {
    const sha = await commits({ 'src/app.txt': 'one\ntwo\n' }, { 'docs/a b.md': '# hi\n' });
    expect(await check(sha)).toEqual([]);
  });

  it('refuses workflows, hooks and engine configuration, unless they are allowed', async () => {
    const sha = await commits({
      '.github/workflows/ci.yml': 'on: push\n',
      '.Husky/pre-commit': 'curl\n',
      'sub/.agent/config.toml': 'x = 1\n',
    });
    const found = (await check(sha)).map(({ rule, path }) => `${rule} ${path}`);
    expect(found.toSorted()).toEqual([
      'engine_config sub/.agent/config.toml',
      'hook_file .Husky/pre-commit',
      'workflow_file .github/workflows/ci.yml',
    ]);
    const allowPaths = ['.github/workflows/*.yml', '.Husky/**', '**/.agent/**'];
    expect(await check(sha, { allowPaths })).toEqual([]);
  });

  it('finds a secret with its line, also one that a later commit took out again', async () => {
    const sha = await commits({ 'a.env': `# mine\nGITHUB_TOKEN=${TOKEN}\n` }, { 'a.env': null });
    const [problem] = await check(sha);
    expect(problem).toMatchObject({ rule: 'secret', path: 'a.env', line: 2 });
    expect(JSON.stringify(problem)).not.toContain(TOKEN);
  });

  it('knows the credentials of its own installation', async () => {
    const sha = await commits({ 'notes.txt': `a\nb ${KEY}\n` });
    expect(await check(sha)).toMatchObject([{ rule: 'known_secret', path: 'notes.txt', line: 2 }]);
  });

  it('finds a secret in a commit behind a zero, in a header nobody shows, and in binary files', async () => {
    const author = join(fixture.folder, 'author');
    const tip = await commits({ 'a.txt': 'x\n' });
    const [tree, who] = [
      fixture.git(author, 'rev-parse', `${tip}^{tree}`).trim(),
      'Dev <dev@example.test> 1700000000 +0000',
    ];
    const head = `tree ${tree}\nparent ${baseCommit}\nauthor ${who}\ncommitter ${who}\n`;
    const forged: [string, string][] = [
      ['behind a zero', `${head}\nWork\0\nGITHUB_TOKEN=${TOKEN}\n`],
      ['right behind a zero', `${head}\nWork\0${TOKEN}\n`],
      ['in a header', `${head}x-note ${TOKEN}\n\nWork\n`],
      ['in a message', `${head}\nWork ${TOKEN}\n`],
    ];
    for (const [name, raw] of forged) {
      const file = join(fixture.folder, 'forged');
      await writeFile(file, raw);
      const sha = fixture
        .git(mirrorPath, 'hash-object', '-t', 'commit', '-w', '--literally', file)
        .trim();
      expect(await check(sha), name).toMatchObject([
        { rule: 'secret', path: `commit ${sha.slice(0, 12)}` },
      ]);
    }
    const binary = await commits({ 'b.bin': `x\0y\0${TOKEN}\0z` });
    expect(await check(binary)).toMatchObject([{ rule: 'secret', path: 'b.bin' }]);
    expect(await check(tip)).toEqual([]);
  });

  it('bounds the number of files and their size', async () => {
    const files = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`f${index}`, 'x\n']));
    const sha = await commits(files);
    expect(await check(sha, { maxFiles: 4 })).toMatchObject([{ rule: 'too_many_files' }]);
    expect(await check(sha, { maxBytes: 10 })).toMatchObject([{ rule: 'too_large' }]);
  });

  it('counts files whose names are no text each', async () => {
    const author = join(fixture.folder, 'author');
    fixture.git(author, 'checkout', '--quiet', '-B', 'work', 'main');
    for (const byte of [0xfc, 0xfd, 0xfe])
      await writeFile(Buffer.concat([Buffer.from(`${author}/f`), Buffer.of(byte)]), 'x\n');
    const sha = await commits({ 'a.txt': 'x\n' });
    expect(await check(sha, { maxFiles: 3 })).toMatchObject([{ rule: 'too_many_files' }]);
    expect(await check(sha, { maxFiles: 4 })).toEqual([]);
  });

  it('leaves alone what is on the remote already, merged or not', async () => {
    const theirs = await fixture.commitOnRemote('main', { '.github/workflows/own.yml': 'on: x\n' });
    await updateMirror(fixture.workspaces, fixture.source);
    const author = join(fixture.folder, 'author');
    await commits({ 'work.txt': 'mine\n' });
    fixture.git(author, 'merge', '--quiet', '--no-edit', theirs);
    fixture.git(author, 'push', '--quiet', '--force', mirrorPath, 'HEAD:refs/switchyard/test');
    const sha = fixture.git(author, 'rev-parse', 'HEAD').trim();
    expect(await check(sha)).toEqual([]);
  });
});

describe('added lines', () => {
  it('numbers what is added and is not fooled by lines that look like headers', () => {
    const patch = [
      'diff --git a/x b/x',
      'index 1..2 100644',
      '--- a/x',
      '+++ b/x',
      '@@ -0,0 +7,3 @@ here',
      '+one',
      '+++ b/other',
      '+three',
      '@@ -9 +12 @@',
      '-old',
      '+new',
      'diff --cc y',
      '--- a/y',
      '+++ b/y',
      '@@@ -1,1 -1,1 +4,2 @@@',
      '++both',
      ' +one parent',
    ].join('\n');
    expect(addedLines(patch)).toEqual([
      { path: 'x', lines: ['one', '++ b/other', 'three', 'new'], numbers: [7, 8, 9, 12] },
      { path: 'y', lines: ['both', 'one parent'], numbers: [4, 5] },
    ]);
  });
});
