import { expect, it } from 'vitest';
import { languageOf } from './highlight/language-of.ts';
import { type DiffFile, parseDiff } from './parse-diff.ts';
import { viewedKey } from './mark-viewed.ts';

const fileOf = (diff: string) => parseDiff(diff)[0] as DiffFile;
const DIFF = 'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-a\n+b\n';

it('takes a file for viewed only as long as nothing in it changes', () => {
  const key = viewedKey(fileOf(DIFF));
  expect(viewedKey(fileOf(DIFF))).toBe(key);
  expect(viewedKey(fileOf(DIFF.replace('+b', '+c')))).not.toBe(key);
  expect(viewedKey(fileOf(DIFF.replaceAll('a.ts', 'b.ts')))).not.toBe(key);
  const modes = 'old mode 100644\nnew mode 100755\n--- a';
  expect(viewedKey(fileOf(DIFF.replace('--- a', modes)))).not.toBe(key);
});

it('knows the language of a file by its name, and of most names that it knows none', () => {
  const names = ['src/a.test.TS', 'Dockerfile', 'docs/a.md', 'LICENSE', 'a.constructor', ''];
  expect(names.map(languageOf)).toEqual(['typescript', 'docker', 'markdown', null, null, null]);
});
