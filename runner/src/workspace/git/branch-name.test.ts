import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { branchNameFor } from '@switchyard/shared/branch/branch-name-for';
import { assertBranchName, assertOwnBranchName } from './branch-name.ts';

const gitAccepts = (name: string): boolean =>
  spawnSync('git', ['check-ref-format', '--branch', name]).status === 0;

describe('branchNameFor', () => {
  it('reads like the issue', () => {
    expect(branchNameFor({ identifier: 'SY-12', title: 'Fix: the Café’s login (again)' })).toBe(
      'switchyard/sy-12-fix-the-cafe-s-login-again',
    );
  });

  it('ends a long title at a whole word', () => {
    const name = branchNameFor({
      identifier: 'SY-1',
      title: 'Teach the parser about every kind of quoted string',
    });
    expect(name).toBe('switchyard/sy-1-teach-the-parser-about-every-kind-of-quoted');
  });

  it.each([
    'two\nlines\r\n',
    '"quoted" \'words\'',
    '$(touch pwned) `id`',
    '\u202Egnp.exe\u202C',
    '🚀🔥',
    'HEAD',
    '..',
    '@{-1}',
    'main.lock',
    '.lock',
    '',
    '   ',
    '-rf /',
    '--upload-pack=x',
    '/',
    'refs/heads/main',
    'x'.repeat(5_000),
    'ß İ ﬀ Å',
    '\0',
    '\uD800 lone',
    'a~b^c:d?e*f[g\\h',
    '日本語のタイトル',
  ])('makes a valid branch from the title %j', (title) => {
    const name = branchNameFor({ identifier: 'SY-1', title });
    expect(name).toMatch(/^switchyard\/sy-1(-[a-z0-9-]*[a-z0-9])?$/);
    expect(name.length).toBeLessThanOrEqual(120);
    expect(gitAccepts(name)).toBe(true);
    expect(() => assertOwnBranchName(name)).not.toThrow();
  });

  it('keeps hostile identifiers apart', () => {
    const names = ['a/b', 'a.b', '../a-b', '', '🚀'].map((identifier) =>
      branchNameFor({ identifier, title: '' }),
    );
    expect(new Set(names).size).toBe(names.length);
    expect(names.every(gitAccepts)).toBe(true);
  });
});

describe('assertBranchName', () => {
  it.each(['main', 'release/1.2', 'switchyard/sy-1', 'feature/ünï', 'a.b', 'x@y'])(
    'accepts %j',
    (name) => {
      expect(gitAccepts(name)).toBe(true);
      expect(() => assertBranchName(name)).not.toThrow();
    },
  );

  it.each([
    '',
    '@',
    'HEAD',
    '-x',
    'a..b',
    'a@{0}',
    'a.lock',
    'a.lock/b',
    '.a',
    'a/.b',
    'a//b',
    'a/',
    '/a',
    'a.',
    'a b',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[',
    'a\\b',
    'a\nb',
    'a\u007F',
    'a\u202Eb',
    'x'.repeat(300),
  ])('refuses %j', (name) => {
    expect(() => assertBranchName(name)).toThrow(
      expect.objectContaining({ code: 'branch_refused' }),
    );
  });

  it('keeps attempts below their own prefix', () => {
    expect(() => assertOwnBranchName('main')).toThrow(/outside switchyard\//);
    expect(() => assertOwnBranchName('switchyard/../main')).toThrow(/range/);
  });
});
