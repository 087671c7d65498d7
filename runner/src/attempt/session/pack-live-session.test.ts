import { describe, expect, it } from 'vitest';
import { filesIn } from './pack-live-session.ts';

const read = (text: string) =>
  filesIn(Buffer.from(text, 'latin1')).map(({ path, bytes }) => [path, bytes.toString('latin1')]);

describe('what the container says that reads a session', () => {
  it('is files by their sizes, whatever is in them', () => {
    expect(read('')).toEqual([]);
    expect(read('4 a.jsonl\n\n1 b0 2026/c.jsonl\n2 d\n\xff\0')).toEqual([
      ['a.jsonl', '\n1 b'],
      ['2026/c.jsonl', ''],
      ['d', '\xff\0'],
    ]);
  });

  it('brings no name that could lead out of the folder', () => {
    for (const name of ['../a', '/a', '.a', 'a/../b', 'a//b', 'a b', `${'a/'.repeat(250)}a`])
      expect(read(`1 ${name}\nx1 good\ny`), name).toEqual([['good', 'y']]);
  });

  it('is refused where it is damaged', () => {
    for (const text of ['5 a\nxxx', 'a\nx', '-1 a\nx', '1\nx', '1 a', `1 ${'a'.repeat(700)}\nx`])
      expect(() => read(text), text.slice(0, 20)).toThrow('damaged');
  });
});
