import { describe, expect, it } from 'vitest';
import { machineId } from './machine-id.ts';

describe('the name of this machine', () => {
  it('stays the same, says nothing about it, and is another for another runner', async () => {
    const [first, again, other] = await Promise.all([
      machineId('run_1'),
      machineId('run_1'),
      machineId('run_2'),
    ]);
    expect(again).toBe(first);
    if (first === undefined) return;
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(other).not.toBe(first);
  });
});
