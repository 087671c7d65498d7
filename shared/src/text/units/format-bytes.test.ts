import { describe, expect, it } from 'vitest';
import { formatBytes } from './format-bytes.ts';

describe('a size', () => {
  it.each([
    [0, '0 B'],
    [950, '950 B'],
    [1_536, '1.5 KiB'],
    [1_048_576, '1 MiB'],
    [12 * 1_024 ** 3, '12 GiB'],
    [420 * 1_024 ** 2, '420 MiB'],
    [3 * 1_024 ** 5, '3072 TiB'],
  ])('of %s bytes is %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));
});
