import { describe, expect, it } from 'vitest';
import { createUnframer } from './create-unframer.ts';

function unframed(framed: Buffer, size: number): string {
  const unframe = createUnframer();
  const parts: Uint8Array[] = [];
  for (let at = 0; at < framed.length; at += size)
    parts.push(unframe(framed.subarray(at, at + size)));
  return Buffer.concat(parts).toString();
}

describe('unframe', () => {
  it('joins broken lines and keeps the marks that were there, however the bytes are cut', () => {
    const framed = Buffer.from('a long \x1e\nline\nmark \x1e\x1e\nx\x1e\x1e\x1e\ny');
    for (let size = 1; size <= framed.length; size++) {
      expect(unframed(framed, size)).toBe('a long line\nmark \x1e\nx\x1ey');
    }
  });

  it('passes bytes without marks as they are', () => {
    const chunk = Buffer.from('{"a":"€"}\n');
    expect(createUnframer()(chunk)).toBe(chunk);
  });
});
