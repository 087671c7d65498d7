import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildCommit } from '../../control-plane/cli/build/build-commit.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'swy-commit-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@localhost', ...args], {
    cwd: folder,
    encoding: 'utf8',
  }).trim();

describe('the commit of a build', () => {
  it('is the checkout’s own, and says whether files differ from it', () => {
    git('init', '--quiet');
    // Nothing is committed yet.
    expect(buildCommit(folder)).toBe('');
    writeFileSync(join(folder, 'a file'), 'first');
    git('add', '.');
    git('commit', '--quiet', '--message', 'first');
    const commit = git('rev-parse', 'HEAD').slice(0, 8);
    expect(buildCommit(folder)).toBe(commit);
    writeFileSync(join(folder, 'of nobody'), 'not tracked');
    expect(buildCommit(folder)).toBe(commit);
    writeFileSync(join(folder, 'a file'), 'second');
    expect(buildCommit(folder)).toBe(`${commit}.dirty`);
  });

  it('is unknown in an archive, also inside another repository', () => {
    git('init', '--quiet');
    git('commit', '--quiet', '--allow-empty', '--message', 'of the other repository');
    const unpacked = join(folder, 'unpacked');
    mkdirSync(unpacked);
    expect(buildCommit(unpacked)).toBe('');
    // As what a copy leaves of a worktree: a pointer to nowhere.
    writeFileSync(join(unpacked, '.git'), 'gitdir: /nowhere/of/anybody\n');
    expect(buildCommit(unpacked)).toBe('');
  });
});
