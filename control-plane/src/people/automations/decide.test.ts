import { describe, expect, it } from 'vitest';
import { decideDue, decideWork, type DueView } from './decide.ts';

const MINUTE_MS = 60_000;
const due = (changes: Partial<DueView> = {}) =>
  decideDue({
    nextRunAtMs: 1_000_000,
    nowMs: 1_000_000,
    running: null,
    missedRunPolicy: 'run_once',
    withinGrace: true,
    paused: false,
    ...changes,
  });

describe('a schedule', () => {
  it('waits for its time, and for ever where it has none', () => {
    expect(due({ nowMs: 999_999 })).toEqual({ kind: 'wait' });
    expect(due({ nextRunAtMs: null })).toEqual({ kind: 'wait' });
  });

  it('starts on time, also a little late', () => {
    expect(due()).toEqual({ kind: 'start', trigger: 'schedule' });
    expect(due({ nowMs: 1_000_000 + MINUTE_MS })).toEqual({ kind: 'start', trigger: 'schedule' });
  });

  it('makes up for a missed time by its policy', () => {
    const nowMs = 1_000_000 + 90 * MINUTE_MS;
    expect(due({ nowMs })).toEqual({ kind: 'start', trigger: 'missed' });
    expect(due({ nowMs, withinGrace: false })).toMatchObject({ kind: 'skip' });
    expect(due({ nowMs, missedRunPolicy: 'skip' })).toEqual({
      kind: 'skip',
      reason: 'missed by 90 min; the next time counts',
    });
  });

  it('does nothing while a run is under way or the service is paused', () => {
    expect(due({ running: 'SY-7' })).toMatchObject({ kind: 'skip' });
    expect(due({ paused: true })).toEqual({ kind: 'skip', reason: 'the service is paused' });
  });
});

describe('a run', () => {
  const work = (status: string, { active = true } = {}) =>
    decideWork({ mode: 'implement', ageMs: 0, issue: { status, reason: 'why', active } });

  it('goes on while its issue does', () => {
    for (const status of ['idle', 'queued', 'running', 'retrying']) {
      expect(work(status)).toEqual({ kind: 'wait' });
    }
    expect(decideWork({ mode: 'implement', ageMs: 0, issue: null })).toEqual({ kind: 'wait' });
  });

  it('ends as its issue ends', () => {
    expect(work('completed')).toMatchObject({ status: 'completed' });
    for (const status of ['failed', 'cancelled', 'blocked']) {
      expect(work(status)).toMatchObject({ status: 'failed' });
    }
    expect(work('idle', { active: false })).toMatchObject({ status: 'failed' });
  });

  it('does not wait for ever', () => {
    const old = (ageMs: number, issue: Parameters<typeof decideWork>[0]['issue']) =>
      decideWork({ mode: 'implement', ageMs, issue });
    expect(old(3_600_001, null)).toMatchObject({ status: 'failed' });
    expect(old(8 * 86_400_000, { status: 'running', reason: null, active: true })).toMatchObject({
      status: 'failed',
    });
  });
});
