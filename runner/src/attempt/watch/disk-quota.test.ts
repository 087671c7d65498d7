import { describe, expect, it } from 'vitest';
import { diskUseIn } from './disk-gauge.ts';
import { objectionTo } from './disk-quota.ts';

const GIB = 1024 ** 3;
const limits = { bytes: 20 * GIB, entries: 1_000_000 };
const room = { bytes: 100 * GIB, entries: 1e7, totalEntries: 2e7 };
const use = (bytes: number, entries: number) => ({
  bytes,
  entries,
  isHidden: false,
  workspaceBytes: bytes,
});
const judge = (
  given: ReturnType<typeof use>,
  change: Partial<Parameters<typeof objectionTo>[1]> = {},
) => objectionTo(given, { limits, room, isHidden: false, ...change })?.limit ?? null;

describe('the disk quota of an attempt', () => {
  it('counts bytes, and files that have none', () => {
    expect(judge(use(20 * GIB, 1_000_000))).toBeNull();
    expect(judge(use(20 * GIB + 1, 10))).toBe('disk');
    expect(judge(use(4_096, 1_000_001))).toBe('disk_entries');
    expect(judge(use(1e15, 1e12), { limits: { bytes: Infinity, entries: Infinity } })).toBeNull();
  });

  it('ends who uses much of a disk that is nearly full, in bytes or in names', () => {
    const noBytes = { room: { ...room, bytes: 1 } };
    expect(judge(use(2 * GIB, 10), noBytes)).toBe('disk');
    expect(judge(use(1_000, 10), noBytes)).toBeNull();
    const noNames = { room: { ...room, entries: 1_000 } };
    expect(judge(use(1_000, 200_000), noNames)).toBe('disk');
    expect(judge(use(2 * GIB, 10), noNames)).toBeNull();
  });

  it('ends who keeps hidden what it has', () => {
    const hidden = { ...use(1, 1), isHidden: true };
    expect(judge(hidden)).toBeNull();
    expect(judge(hidden, { isHidden: true })).toBe('disk');
  });

  it('takes only numbers from the container that measures', () => {
    expect(diskUseIn(' 8:3: 4:1:')).toEqual({
      bytes: 12 * 1024,
      entries: 4,
      workspaceBytes: 8 * 1024,
      isHidden: false,
    });
    expect(diskUseIn(' 8:3:c 4:1:')).toMatchObject({ isHidden: true });
    expect(diskUseIn(' x:3: 4:1:')).toMatchObject({ isHidden: true, entries: 4 });
    for (const bad of ['', '8:3:', ' 8:3', ' -8:3:', ' 8:3: x', ' 1e9:1:'])
      expect(() => diskUseIn(bad), bad).toThrow('nonsense');
  });
});
