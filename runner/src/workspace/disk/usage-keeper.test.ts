import { describe, expect, it } from 'vitest';
import { UsageKeeper } from './usage-keeper.ts';
import type { WorkspaceUsage } from './workspace-usage.ts';

const COUNTED: WorkspaceUsage = { diskBytes: 4_096, entries: 1, lastModifiedMs: 1, complete: true };

describe('disk usage in the background', () => {
  it('answers without the slow folder, and with it once it is counted', async () => {
    let finish: (usage: WorkspaceUsage) => void = () => undefined;
    const slow = new Promise<WorkspaceUsage>((resolve) => {
      finish = resolve;
    });
    let walks = 0;
    const keeper = new UsageKeeper(() => {
      walks += 1;
      return slow;
    });
    expect(await keeper.usage('/w/slow', 0)).toMatchObject({ diskBytes: 0, complete: false });
    const second = keeper.usage('/w/slow', 30_000);
    finish(COUNTED);
    expect(await second).toEqual(COUNTED);
    expect(await keeper.usage('/w/slow', 0)).toEqual(COUNTED);
    expect(walks).toBe(1);
    keeper.keepOnly(new Set());
    expect(await keeper.usage('/w/slow', 30_000)).toEqual(COUNTED);
    expect(walks).toBe(2);
  });

  it('does not fail for a folder that cannot be read', async () => {
    const keeper = new UsageKeeper((path) =>
      path === '/w/bad' ? Promise.reject(new Error('EIO')) : Promise.resolve(COUNTED),
    );
    expect(await keeper.usage('/w/bad', 30_000)).toMatchObject({ complete: false });
    expect(await keeper.usage('/w/good', 30_000)).toEqual(COUNTED);
  });
});
