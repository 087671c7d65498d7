import { expect, it } from 'vitest';
import { decodeHead, decodeTail } from './decode-tail.ts';

it('leaves out a character that a cut goes through, and nothing else', () => {
  const text = '\ufeffaä漢😀é\u0301z';
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at <= bytes.length; at += 1) {
    const [head, tail] = [decodeHead(bytes.subarray(0, at)), decodeTail(bytes.subarray(at))];
    expect(text.startsWith(head)).toBe(true);
    expect(text.endsWith(tail)).toBe(true);
    // At most one character of four bytes is missing.
    expect(head.length + tail.length).toBeGreaterThanOrEqual(text.length - 2);
  }
});

it('shows bytes that are no text as what they are', () => {
  expect(decodeTail(Uint8Array.of(0x61, 0xff, 0x62))).toBe('a\ufffdb');
  expect(decodeHead(Uint8Array.of(0x80, 0x61))).toBe('\ufffda');
});
