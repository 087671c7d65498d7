import { describe, expect, it } from 'vitest';
import { judgeClaim, type LeaseView, narrowLabels } from './decide.ts';

const LEASE: LeaseView = { status: 'running', epoch: 3, runnerId: 'r1', released: false };
const CLAIM = { epoch: 3, runnerId: 'r1' };

describe('a runner’s claim on an attempt', () => {
  it('holds for the present epoch of the same runner', () => {
    expect(judgeClaim(LEASE, CLAIM)).toEqual({ kind: 'keep' });
    expect(judgeClaim({ ...LEASE, status: 'queued' }, CLAIM)).toEqual({ kind: 'offered' });
  });

  it.each([
    { epoch: 2, runnerId: 'r1' },
    { epoch: 4, runnerId: 'r1' },
    { epoch: 3, runnerId: 'r2' },
  ])('is lost under another epoch or runner: %o', (claim) => {
    expect(judgeClaim(LEASE, claim)).toEqual({ kind: 'stop', code: 'LEASE_LOST' });
    expect(judgeClaim({ ...LEASE, status: 'queued' }, claim)).toMatchObject({ code: 'LEASE_LOST' });
  });

  it.each(['completed', 'failed', 'cancelled'] as const)(
    'ends with an attempt that is %s',
    (status) => {
      for (const claim of [CLAIM, { epoch: 1, runnerId: 'r9' }]) {
        expect(judgeClaim({ ...LEASE, status }, claim)).toEqual({
          kind: 'stop',
          code: 'ATTEMPT_TERMINAL',
        });
      }
    },
  );

  it('ends when the runner has nothing more to do with it', () => {
    expect(judgeClaim({ ...LEASE, released: true }, CLAIM)).toMatchObject({
      code: 'ATTEMPT_TERMINAL',
    });
  });

  it('does not exist for an attempt nobody knows', () => {
    expect(judgeClaim(null, CLAIM)).toEqual({ kind: 'stop', code: 'UNKNOWN_ATTEMPT' });
  });
});

describe('a runner’s labels', () => {
  it('are only narrowed by its join token, and none twice', () => {
    expect(narrowLabels(['gpu', 'linux', 'gpu'], [])).toEqual(['gpu', 'linux']);
    expect(narrowLabels(['gpu', 'linux'], ['linux', 'mac'])).toEqual(['linux']);
    expect(narrowLabels([], ['linux'])).toEqual([]);
  });
});
