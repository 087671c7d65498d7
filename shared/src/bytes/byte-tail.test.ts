import { describe, expect, it } from 'vitest';
import { ByteTail } from './byte-tail.ts';

describe('the tail of a stream', () => {
  it('is its last bytes, whatever the pieces are', () => {
    for (const sizes of [[1], [3, 4], [9, 1], [10], [11, 2], [25], [0, 20, 1]]) {
      const tail = new ByteTail(10);
      let all = '';
      for (let count = 0; count < 40; count += 1) {
        const piece = String.fromCharCode(97 + (count % 26)).repeat(
          sizes[count % sizes.length] ?? 0,
        );
        all += piece;
        tail.add(Buffer.from(piece));
        expect(tail.text()).toBe(all.slice(-10));
      }
    }
  });

  it('begins with a whole character', () => {
    for (let maxBytes = 0; maxBytes < 12; maxBytes += 1) {
      const tail = new ByteTail(maxBytes);
      for (const byte of Buffer.from('ä漢😀z')) tail.add(Uint8Array.of(byte));
      expect('ä漢😀z'.endsWith(tail.text())).toBe(true);
    }
  });

  it('takes millions of single bytes', () => {
    const tail = new ByteTail(64 * 1024);
    const [piece, end] = [Buffer.from('x'), Buffer.from('end')];
    for (let count = 0; count < 4_000_000; count += 1) tail.add(piece);
    tail.add(end);
    expect(tail.text()).toBe(`${'x'.repeat(64 * 1024 - 3)}end`);
  });
});
