import { describe, expect, it } from 'vitest';
import { decideFeedback, type FeedbackInput, type FeedbackEntry } from './decide.ts';

const NOW = 1_800_000_000_000;
const check: FeedbackEntry = { key: 'check:1:unit', kind: 'check', atMs: NOW - 1_000 };
const comment: FeedbackEntry = { key: 'comment:1', kind: 'comment', atMs: NOW - 1_000 };
const conflict: FeedbackEntry = { key: 'conflict:1', kind: 'conflict', atMs: 0 };

type Changes = Partial<Omit<FeedbackInput<FeedbackEntry>, 'view'>> & {
  view?: Partial<FeedbackInput<FeedbackEntry>['view']>;
};
function decide({ view, ...changes }: Changes) {
  return decideFeedback({
    issue: { status: 'completed', outOfBudget: false },
    view: { status: 'open', pendingChecks: 0, items: [check], ...view },
    known: new Set<string>(),
    underWay: new Set<string>(),
    rounds: 0,
    maxRounds: 5,
    nowMs: NOW,
    ...changes,
  });
}
const issue = (
  status: 'completed' | 'blocked' | 'failed' | 'running' | 'cancelled' | 'retrying',
) => ({
  status,
  outOfBudget: false,
});

describe('what is said on a pull request', () => {
  it('starts an attempt with what is new, and never twice with the same', () => {
    expect(decide({})).toEqual({ kind: 'start', items: [check] });
    const view = { items: [check, comment] };
    const known = new Set([check.key]);
    expect(decide({ view, known })).toEqual({ kind: 'start', items: [comment] });
    expect(decide({ known })).toEqual({ kind: 'nothing' });
  });

  it('hands people’s words to the agent that works, and lets the rest wait', () => {
    const view = { items: [comment, check, conflict] };
    for (const status of ['running', 'retrying'] as const) {
      expect(decide({ issue: issue(status), view })).toEqual({ kind: 'steer', items: [comment] });
      expect(decide({ issue: issue(status) }).kind).toBe('nothing');
      const underWay = new Set([comment.key]);
      expect(decide({ issue: issue(status), view, underWay }).kind).toBe('nothing');
    }
    // Nobody took them before the attempt ended.
    const underWay = new Set([comment.key]);
    expect(decide({ view, underWay })).toEqual({ kind: 'start', items: view.items });
    expect(decide({ rounds: 5, maxRounds: 5, issue: issue('running'), view }).kind).toBe('steer');
  });

  it('lets people wake what is blocked or failed, and nobody what was aborted', () => {
    const view = { items: [comment, check, conflict] };
    for (const status of ['blocked', 'failed'] as const) {
      expect(decide({ issue: issue(status), view })).toEqual({ kind: 'start', items: [comment] });
      expect(decide({ issue: issue(status) }).kind).toBe('nothing');
    }
    expect(decide({ issue: issue('cancelled'), view }).kind).toBe('nothing');
    const broke = { status: 'blocked', outOfBudget: true } as const;
    expect(decide({ issue: broke, view }).kind).toBe('nothing');
  });

  it('hears of all failed checks together, but does not wait for ever', () => {
    expect(decide({ view: { pendingChecks: 1 } }).kind).toBe('nothing');
    expect(decide({ view: { pendingChecks: 1, items: [check, comment] } }).kind).toBe('start');
    expect(decide({ view: { pendingChecks: 1 }, nowMs: NOW + 600_000 }).kind).toBe('start');
  });

  it('is bounded by a counter of its own', () => {
    expect(decide({ rounds: 4 }).kind).toBe('start');
    expect(decide({ rounds: 5 }).kind).toBe('limit');
    expect(decide({ maxRounds: 0 }).kind).toBe('limit');
  });

  it('sees the end first, also of an issue that is gone', () => {
    expect(decide({ view: { status: 'merged' }, issue: null })).toEqual({ kind: 'ended' });
    expect(decide({ view: { status: 'closed' }, issue: issue('running') })).toEqual({
      kind: 'ended',
    });
    expect(decide({ issue: null }).kind).toBe('nothing');
    // What cannot be found has not ended.
    expect(decide({ view: { status: 'missing' } })).toEqual({ kind: 'missing' });
  });
});
