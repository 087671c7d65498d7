import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { freeRoomOf, hasFewEntries } from './free-room.ts';

describe('the room that is left on a file system', () => {
  const least = { entries: 200_000, part: 0.05 };
  const room = (entries: number, totalEntries: number) => ({ bytes: 1, entries, totalEntries });

  it('is counted in bytes and in names', async () => {
    const found = await freeRoomOf(tmpdir());
    expect(found.bytes).toBeGreaterThan(0);
    expect(found.entries).toBeGreaterThan(0);
  });

  it('is small when hardly a name is left, however large the file system is', () => {
    expect(hasFewEntries(room(199_999, 16_000_000), least)).toBe(true);
    expect(hasFewEntries(room(200_000, 16_000_000), least)).toBe(false);
    expect(hasFewEntries(room(60_000, 65_536), least)).toBe(false);
    expect(hasFewEntries(room(3_000, 65_536), least)).toBe(true);
    expect(hasFewEntries(room(Number.POSITIVE_INFINITY, 0), least)).toBe(false);
  });
});
