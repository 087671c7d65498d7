import { describe, expect, it } from 'vitest';
import { channelWants, type EndView, noticeOfEnd } from './decide.ts';

const end = (changes: Partial<EndView>) =>
  noticeOfEnd({
    identifier: 'SY-1',
    number: 2,
    outcome: 'failed',
    marker: null,
    status: 'retrying',
    reason: 'it broke',
    reasonCode: 'agent_error',
    failureCount: 1,
    upstreamFailed: false,
    onTrial: false,
    ...changes,
  });

describe('the end of an attempt', () => {
  it('is told as what becomes of the issue', () => {
    expect(end({})).toEqual({
      type: 'worker_retry',
      message: 'Attempt 2 of SY-1 failed and is retried: The agent reported an error: it broke',
    });
    expect(end({ status: 'failed' })?.type).toBe('worker_failed');
    expect(end({ status: 'blocked' })?.type).toBe('worker_failed');
    expect(end({ outcome: 'completed', status: 'completed' })?.type).toBe('worker_completed');
    expect(end({ outcome: 'completed', status: 'blocked' })?.type).toBe('input_requested');
    expect(end({ outcome: 'completed', status: 'failed' })?.type).toBe('worker_failed');
  });

  it('is marked where a script did the work', () => {
    expect(end({ outcome: 'completed', status: 'completed', onTrial: true })?.message).toMatch(
      /^Attempt 2 of SY-1 \(scripted trial\) finished: /,
    );
  });

  it('is no news when it goes on, or when a person stopped it', () => {
    expect(end({ outcome: 'completed' })).toBeNull();
    expect(end({ outcome: 'cancelled', status: 'cancelled' })).toBeNull();
    expect(end({ outcome: 'cancelled', status: 'queued' })).toBeNull();
  });

  it('is told ever more seldom while an upstream is away', () => {
    const told = Array.from({ length: 16 }, (_, index) => index + 1).filter(
      (failureCount) => end({ upstreamFailed: true, failureCount }) !== null,
    );
    expect(told).toEqual([1, 2, 4, 8, 16]);
  });
});

describe('a channel', () => {
  const of = (
    type: Parameters<typeof channelWants>[1]['type'],
    onlyTo: string[] | null = null,
  ) => ({
    type,
    onlyTo,
  });
  it('gets what its verbosity says', () => {
    const off = { name: 'a', verbosity: 'off' } as const;
    const critical = { name: 'a', verbosity: 'critical' } as const;
    const verbose = { name: 'a', verbosity: 'verbose' } as const;
    expect(channelWants(off, of('worker_failed'))).toBe(false);
    expect(channelWants(critical, of('worker_failed'))).toBe(true);
    expect(channelWants(critical, of('worker_retry'))).toBe(true);
    expect(channelWants(critical, of('alert_fired', ['a']))).toBe(false);
    expect(channelWants(verbose, of('issue_claimed'))).toBe(true);
  });

  it('is narrowed by its types and by the sender, where it is verbose', () => {
    const narrow = { name: 'a', verbosity: 'verbose', types: ['alert_fired'] } as const;
    expect(channelWants(narrow, of('alert_fired', ['a']))).toBe(true);
    expect(channelWants(narrow, of('alert_fired', ['b']))).toBe(false);
    expect(channelWants(narrow, of('worker_failed'))).toBe(false);
  });
});
