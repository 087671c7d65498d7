import { describe, expect, it } from 'vitest';
import { readJsonLines } from './json-lines.ts';
import type { JsonLine } from './json-lines.ts';

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string, size: number, maxLineBytes?: number): Promise<JsonLine[]> {
  const lines: JsonLine[] = [];
  for await (const line of readJsonLines(pieces(text, size), 100, maxLineBytes)) lines.push(line);
  return lines;
}

describe('lines of JSON', () => {
  it.each([1, 3, 1000])('come out whole from pieces of %i bytes', async (size) => {
    const lines = await read('{"a":"ä→"}\n\n[2]\r\n', size);
    expect(lines).toEqual([
      { kind: 'json', value: { a: 'ä→' }, endOffset: 114 },
      { kind: 'json', value: [2], endOffset: 120 },
    ]);
  });

  it('show garbage up to a whole character', async () => {
    const [line] = await read(`x${'😀'.repeat(1_000)}\n`, 100);
    expect(line).toMatchObject({ kind: 'garbage', sample: `x${'😀'.repeat(511)}` });
  });

  it('survive garbage, a line that is too long, and an end in the middle', async () => {
    const lines = await read(`oops\n${'x'.repeat(50)}\n{"b":1}\n{"c":`, 7, 20);
    expect(lines).toEqual([
      { kind: 'garbage', sample: 'oops', bytes: 4, endOffset: 105 },
      { kind: 'garbage', sample: expect.stringMatching(/^x{21,27}$/), bytes: 50, endOffset: 156 },
      { kind: 'json', value: { b: 1 }, endOffset: 164 },
      { kind: 'garbage', sample: '{"c":', bytes: 5, endOffset: 169 },
    ]);
  });
});
