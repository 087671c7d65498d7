import { describe, expect, it } from 'vitest';
import { readGlob } from './read-glob.ts';

describe('a glob', () => {
  it.each([
    ['src/**', 'src/a.ts'],
    ['src/**', 'src/.hidden/.a/b.ts'],
    ['src/**/*.ts', 'src/a.ts'],
    ['src/**/*.ts', 'src/a/b/c.ts'],
    ['**/*.md', 'README.md'],
    ['**/*.md', 'docs/.x.md'],
    ['**', '.github/workflows/ci.yml'],
    ['*.md', 'a.md'],
    ['file?.ts', 'file1.ts'],
    ['file?.ts', 'file😀.ts'],
    ['app/[id]/(group)/page.tsx', 'app/[id]/(group)/page.tsx'],
    ['packages/{a,b}/{src,test}/**', 'packages/b/test/x.ts'],
    ['{src,docs/{api,guide}}/*', 'docs/guide/a.md'],
    ['*-*-*.ts', 'a-b-c-d.ts'],
    ['a/**/b/**/c', 'a/b/b/x/c'],
    ['new\nline', 'new\nline'],
  ])('%j means %j', (glob, path) => {
    expect(readGlob(glob)(path)).toBe(true);
  });

  it.each([
    ['src/**', 'source/a.ts'],
    ['src/**', 'lib/src/a.ts'],
    ['docs/*.md', 'docs/sub/a.md'],
    ['*.md', 'docs/a.md'],
    ['src', 'src/a.ts'],
    ['src/?', 'src/'],
    ['Src/*', 'src/a'],
    ['a.ts', 'aXts'],
    ['packages/{a,b}/**', 'packages/c/x'],
    ['**/test/*', 'test/a/b'],
  ])('%j does not mean %j', (glob, path) => {
    expect(readGlob(glob)(path)).toBe(false);
  });

  it('takes no longer for a path that was made to take long', () => {
    const startedMs = performance.now();
    expect(readGlob('*a*a*a*a*a*a*c')('a'.repeat(4_000))).toBe(false);
    expect(readGlob('**/a/**/a/**/a/**/a/**/c')(`${'a/'.repeat(2_000)}b`)).toBe(false);
    expect(readGlob('{a,b}'.repeat(50))('a')).toBe(false);
    expect(performance.now() - startedMs).toBeLessThan(2_000);
  });
});
