import { describe, expect, it } from 'vitest';
import { interleavedDriving } from './check-driving.ts';

const calls = (...leases: (string | null)[]) =>
  leases.map((lease, index) => ({ work: 1, receivedAtMs: index, threadId: 't', lease }));

describe('interleavedDriving', () => {
  it('lets one lease follow another', () => {
    expect(interleavedDriving(calls(null, 'a-1', 'a-1', null, 'a-3', 'a-3'))).toEqual([]);
  });

  it('finds a lease that calls after its successor', () => {
    const found = interleavedDriving(calls('a-1', 'a-3', 'a-1'));
    expect(found).toEqual(['issue 1: a-1 called again after a-3']);
  });

  it('does not mix issues up', () => {
    const other = calls('b-1').map((call) => ({ ...call, work: 2 }));
    expect(interleavedDriving([...calls('a-1'), ...other, ...calls('a-1')])).toEqual([]);
  });
});
