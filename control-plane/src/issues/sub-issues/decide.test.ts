import type { SubIssue } from '@switchyard/shared/api/work/issue';
import { describe, expect, it } from 'vitest';
import { decideParentEnd, endsByParts, openParts } from './decide.ts';

/** Parts in these states, of which Done and Canceled are terminal. */
const parts = (...states: (string | null)[]): SubIssue[] =>
  states.map((state, at) => ({
    id: `i${at + 1}`,
    identifier: `SY-${at + 1}`,
    state,
    terminal: state === 'Done' || state === 'Canceled',
  }));

describe('what an issue waits for in its parts', () => {
  it('is every part that has not ended, named up to a limit', () => {
    const waitsFor = (...states: (string | null)[]) => openParts(parts(...states));
    expect(waitsFor()).toBeNull();
    expect(waitsFor('Done', 'Canceled')).toBeNull();
    expect(waitsFor('Done', 'Todo')).toBe('waits for its sub-issues SY-2 (1 of 2 ended)');
    expect(waitsFor(null, ...Array.from({ length: 7 }, () => 'Todo'), 'Done')).toBe(
      'waits for its sub-issues SY-1, SY-2, SY-3, SY-4, SY-5 and 3 more (1 of 9 ended)',
    );
  });
});

describe('the end of an issue by its parts', () => {
  it('comes when the last one for which it has waited has ended', () => {
    const waiting = { status: 'idle', reason_code: 'sub_issues_open' } as const;
    expect(endsByParts({ ...waiting, sub_issues: [] })).toBe(false);
    expect(endsByParts({ ...waiting, sub_issues: parts('Done', 'Todo') })).toBe(false);
    expect(endsByParts({ ...waiting, sub_issues: parts('Done', 'Canceled') })).toBe(true);
    const sub_issues = parts('Done');
    expect(endsByParts({ status: 'idle', reason_code: 'slots_full', sub_issues })).toBe(false);
    expect(endsByParts({ status: 'queued', reason_code: 'sub_issues_open', sub_issues })).toBe(
      false,
    );
  });

  it('is done where a part was done, and names those that were not', () => {
    expect(decideParentEnd(parts('Done', 'Done'), 'done')).toEqual({
      status: 'completed',
      code: 'sub_issues_done',
      reason: '2 of 2 sub-issues are done',
    });
    expect(decideParentEnd(parts('Done', 'Canceled'), 'Done').reason).toBe(
      '1 of 2 sub-issues are done; closed otherwise: SY-2 Canceled',
    );
    expect(decideParentEnd(parts('Canceled'), 'Done')).toMatchObject({
      status: 'blocked',
      code: 'sub_issues_canceled',
    });
    expect(decideParentEnd(parts('Canceled'), null).status).toBe('completed');
  });
});
