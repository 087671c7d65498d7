import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildCommit, replaceCommit } from '../../control-plane/cli/build/build-commit.mjs';
import { buildOnce } from '../../control-plane/cli/build/build-once.mjs';
import { bundlePrograms } from '../../control-plane/cli/build/bundle-programs.mjs';
import { bundleWorker } from '../../control-plane/cli/build/bundle-worker.mjs';
import { repositoryRoot } from '../support/e2e/start-service.ts';

const TIMEOUT_MS = 180_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'swy-commit-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

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
    mkdirSync(join(unpacked, '.git'));
    expect(buildCommit(unpacked)).toBe('');
    rmSync(join(unpacked, '.git'), { recursive: true });
    // As what a copy leaves of a worktree: a pointer to nowhere.
    writeFileSync(join(unpacked, '.git'), 'gitdir: /nowhere/of/anybody\n');
    expect(buildCommit(unpacked)).toBe('');
  });

  it('is the checkout’s own also when a hook of another repository builds it', () => {
    git('init', '--quiet');
    git('commit', '--quiet', '--allow-empty', '--message', 'first');
    const commit = git('rev-parse', 'HEAD').slice(0, 8);
    const other = join(folder, 'other');
    git('init', '--quiet', other);
    git('-C', other, 'commit', '--quiet', '--allow-empty', '--message', 'of the other one');
    vi.stubEnv('GIT_DIR', join(other, '.git'));
    vi.stubEnv('GIT_INDEX_FILE', join(other, '.git', 'index'));
    expect(buildCommit(folder)).toBe(commit);
  });
});

describe('what is built', () => {
  it(
    'of the same sources has the same files whatever the commit, so that a running service finds its own',
    async () => {
      const build = async (commit: string) => {
        await bundlePrograms(repositoryRoot, join(folder, commit), commit);
        await bundleWorker(repositoryRoot, join(folder, commit), commit);
      };
      const filesOf = (commit: string) => {
        const made = join(folder, commit);
        const names = globSync('{bin,lib,worker}/*.{js,mjs}', { cwd: made });
        return new Map(names.map((name) => [name, readFileSync(join(made, name), 'utf8')]));
      };
      await build('01234567');
      await build('89abcdef.dirty');
      const running = filesOf('01234567');
      const built = filesOf('89abcdef.dirty');
      expect(running.size).toBeGreaterThan(20);
      const changed = [...running.keys()].filter((name) => running.get(name) !== built.get(name));
      const places = [join('lib', 'commit.js'), join('worker', 'worker.js')];
      expect(changed.toSorted()).toEqual(places);
      // So it need not be built to be told.
      const to = (from: string, commit: string) =>
        replaceCommit(repositoryRoot, join(folder, '01234567'), from, commit);
      expect(to('01234567', '89abcdef.dirty')).toBe(true);
      expect(filesOf('01234567')).toEqual(built);
      // Broken off in between, or told by nobody: it is built again.
      expect(to('01234567', '89abcdef')).toBe(false);
      expect(to('89abcdef.dirty', '')).toBe(false);
    },
    TIMEOUT_MS,
  );

  it('is of another commit when that changes, and kept where git cannot tell', async () => {
    const built = join(folder, 'dist');
    mkdirSync(join(folder, '.toolchain'));
    writeFileSync(join(folder, 'source'), 'first');
    const program = `const { mkdirSync, writeFileSync } = require('node:fs');
      mkdirSync(process.argv[1], { recursive: true });
      writeFileSync(process.argv[1] + '/of', process.argv[2]);`;
    const buildOf = async (commit: string, recommit?: (from: string) => boolean) => {
      await buildOnce(
        folder,
        { node: process.execPath, env: (base: object) => base },
        { attach: () => {}, checkpoint: () => {} },
        {
          what: 'a test',
          sources: ['source'],
          commit,
          recommit,
          built,
          cwd: folder,
          env: {},
          args: (making: string) => ['-e', program, making, commit],
        },
      );
      return readFileSync(join(built, 'of'), 'utf8');
    };
    expect(await buildOf('01234567')).toBe('01234567');
    // Another user runs it, or git is not installed: a service may have no right to build.
    expect(await buildOf('')).toBe('01234567');
    expect(await buildOf('89abcdef', () => false)).toBe('89abcdef');
    const told: string[] = [];
    const recommit = (from: string) => told.push(from) > 0;
    expect(await buildOf('fedcba98', recommit)).toBe('89abcdef');
    expect(await buildOf('fedcba98', recommit)).toBe('89abcdef');
    expect(told).toEqual(['89abcdef']);
    writeFileSync(join(folder, 'source'), 'second');
    expect(await buildOf('')).toBe('');
  });
});
