import { expect, it } from 'vitest';
import { ByteHead } from './byte-head.ts';

it('keeps what is added, in order, far beyond its first room', () => {
  const head = new ByteHead();
  let all = '';
  for (const length of [1, 0, 70_000, 3, 400_000, 65_536]) {
    const piece = String.fromCharCode(97 + (length % 26)).repeat(length);
    all += piece;
    head.add(Buffer.from(piece));
  }
  expect(head.text()).toBe(all);
});
