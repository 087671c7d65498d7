import { leaseTimes } from '@switchyard/shared/protocol/lease-times';
import { describe, expect, it } from 'vitest';
import { readLeaseTimes } from './read-lease-times.ts';

const read = (text?: string) => readLeaseTimes({ SERVICE_RUNNER_LEASE_TTL_MS: text });

describe('readLeaseTimes', () => {
  it('takes the default when nothing is said', () => {
    expect(read()).toEqual(leaseTimes());
    expect(read('')).toEqual(leaseTimes());
  });

  it('takes a length within the limits', () => {
    expect(read('18000')).toEqual(leaseTimes(18_000));
  });

  it.each(['5999', '600001', '-1', '1e5', '20 s', 'NaN'])('refuses %s by name', (text) => {
    expect(() => read(text)).toThrow('SERVICE_RUNNER_LEASE_TTL_MS');
  });
});
