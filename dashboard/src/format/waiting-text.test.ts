import { describe, expect, it } from 'vitest';
import { firstStartText, nextTryAt, waitingText } from './waiting-text.ts';

const issue = (change: object) => ({
  status: 'queued',
  reason: null,
  reasonCode: null,
  blockedBy: [],
  nextRetryAt: null,
  ...change,
});
const words = (change: object, ...rest: [pause?: 'night', failure?: 'turn_stalled']) =>
  waitingText(
    issue(change) as Parameters<typeof waitingText>[0],
    rest[0] === undefined ? null : ({ reason: rest[0] } as Parameters<typeof waitingText>[1]),
    rest[1],
  );

describe('why an issue does not run', () => {
  it('is the pause for whatever waits', () => {
    expect(words({ reason: 'Waiting for SY-3' }, 'night')).toContain('night');
    expect(words({ status: 'failed', reason: 'out of luck' }, 'night')).toBe('Out of luck');
  });

  it('is how its newest attempt failed where it gives no reason itself', () => {
    const stalled = 'The agent engine went silent during a turn.';
    expect(words({ status: 'retrying' }, undefined, 'turn_stalled')).toBe(stalled);
    expect(words({ reason: 'aborted' }, undefined, 'turn_stalled')).toBe('Aborted');
    expect(words({ status: 'running' }, undefined, 'turn_stalled')).toBe(null);
  });

  it('is what blocks it, else a free slot', () => {
    expect(words({ blockedBy: [{ id: '1', identifier: 'SY-3', state: null }] })).toBe(
      'Waiting for SY-3',
    );
    expect(words({})).toBe('Waiting for a free runner slot');
    expect(words({ status: 'completed' })).toBe(null);
  });

  it('is the sub-issues that have not ended', () => {
    const part = (number: number) => ({
      id: `${number}`,
      identifier: `SY-${number}`,
      state: 'Todo',
      terminal: false,
    });
    const ended = { ...part(2), state: 'Done', terminal: true };
    const reason = 'waits for its sub-issues SY-3, SY-4 (1 of 3 ended)';
    const waits = { status: 'idle', reasonCode: 'sub_issues_open', reason };
    const subIssues = [ended, part(3), part(4)];
    expect(words({ ...waits, subIssues })).toBe('Waiting for SY-3, SY-4');
    expect(words({ ...waits, subIssues: [3, 4, 5, 6, 7].map(part) })).toBe(
      'Waiting for SY-3, SY-4, SY-5 and 2 more',
    );
    // A page may know the reason before the states.
    for (const known of [{}, { subIssues: [ended] }])
      expect(words({ ...waits, ...known })).toContain('(1 of 3 ended)');
    expect(words({ status: 'idle', subIssues })).toBe(null);
  });

  it('has no next try while everything is paused, and none whose time has come', () => {
    const due = { nextRetryAt: '2026-01-01T00:00:00.000Z' };
    const dueMs = Date.parse(due.nextRetryAt);
    expect(nextTryAt(due, null, dueMs - 1)).toBe(due.nextRetryAt);
    // From then on it waits for something else, which is said.
    expect(nextTryAt(due, null, dueMs)).toBe(null);
    expect(nextTryAt(due, { reason: 'night' } as Parameters<typeof nextTryAt>[1], 0)).toBe(null);
  });
});

describe('what starts an issue that had no attempt', () => {
  const starts = (change: object) =>
    firstStartText(issue(change) as Parameters<typeof firstStartText>[0]);

  it('is its state, unless a person has to do something first', () => {
    expect(starts({})).toContain('a runner with a free slot');
    expect(starts({ status: 'idle' })).toContain('in Todo or In Progress');
    const moved = { status: 'idle', reasonCode: 'tracker_moved', reason: 'moved to Backlog' };
    expect(starts(moved)).toContain('in Todo or In Progress');
    const split = { status: 'idle', reasonCode: 'sub_issues_open', reason: 'waits' };
    expect(starts(split)).toContain('all of its sub-issues have ended');
    const stopped = { reasonCode: 'stopped_by_person', reason: 'stopped by the local user' };
    expect(starts({ status: 'idle', ...stopped })).toBe('Retry it when it should go on.');
  });
});
