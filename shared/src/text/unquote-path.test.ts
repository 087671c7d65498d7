import { expect, it } from 'vitest';
import { unquotePath } from './unquote-path.ts';

it.each([
  ['a/plain.txt', 'a/plain.txt'],
  ['a/b c.txt\t', 'a/b c.txt'],
  [String.raw`"a\"b"`, 'a"b'],
  [String.raw`"a\"b c"` + '\t', 'a"b c'],
  [String.raw`"back\\slash\\101"`, String.raw`back\slash\101`],
  [String.raw`"\a\b\t\n\v\f\r\001\177"`, '\u0007\b\t\n\v\f\r\u0001\u007f'],
  [String.raw`"Auftr\303\244ge/\346\227\245\346\234\254 \350\252\236.md"`, 'Aufträge/日本 語.md'],
  ['"日本\\t語"', '日本\t語'],
  [String.raw`"\360\237\246\204"`, '🦄'],
  [String.raw`"caf\351"`, 'caf\ufffd'],
  [String.raw`"\357\273\277x"`, '\ufeffx'],
  ['"never closed', '"never closed'],
  [String.raw`"odd \q\9"`, 'odd q9'],
])('reads %j as git means it', (quoted, path) => {
  expect(unquotePath(quoted)).toBe(path);
});
