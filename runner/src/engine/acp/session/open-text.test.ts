import { describe, expect, it } from 'vitest';
import { OpenText } from './open-text.ts';

const HEAD_CHARS = 64 * 1024;

function written(...pieces: string[]): string {
  const open = new OpenText('message', 'i1', null);
  for (const piece of pieces) open.append(piece);
  return open.text;
}

describe('a message that is being written', () => {
  it.each([0, 1])('keeps its pieces in order where an emoji meets the limit: %i', (offset) => {
    const head = 'x'.repeat(HEAD_CHARS - 2 + offset);
    const pieces = [head, '😀😀', 'a', 'b', '\ud83d', '\ude00'];
    expect(written(...pieces)).toBe(pieces.join(''));
  });

  it('is whole text where its middle is left out', () => {
    const text = written(...Array.from({ length: 50 }, () => `x${'😀'.repeat(5_000)}`));
    expect(text).toContain('characters left out');
    expect(text.isWellFormed()).toBe(true);
    expect(text.startsWith('x😀')).toBe(true);
    expect(text.endsWith('😀')).toBe(true);
  });
});
