import type { Issue } from '@switchyard/shared/api/work/issue';
import type { State } from '@switchyard/shared/api/work/state';
import { describe, expect, it } from 'vitest';
import { boardColumns, columnToShow, matches } from './board-columns.ts';
import { mergeIssues } from './merge-issues.ts';

const NO_TOKENS = { input: 0, cachedInput: 0, output: 0, reasoning: 0, total: 0 };
const NOBODY: ReadonlySet<string> = new Set();

function issue(number: number, extra: Partial<Issue> = {}): Issue {
  const at = '2026-11-20T10:00:00.000Z';
  return {
    id: `id-${number}`,
    identifier: `SY-${number}`,
    tracker: 'local',
    title: `Issue ${number}`,
    description: null,
    priority: 0,
    state: 'Todo',
    branchName: null,
    url: null,
    labels: [],
    assigneeId: null,
    blockedBy: [],
    parent: null,
    subIssues: [],
    dispatchable: true,
    createdAt: at,
    updatedAt: at,
    nativeRef: null,
    status: 'idle',
    reason: null,
    reasonCode: null,
    attemptCount: 0,
    onTrial: false,
    nextRetryAt: null,
    engine: null,
    model: null,
    templateId: null,
    pullRequestUrl: null,
    tokens: NO_TOKENS,
    costUsd: null,
    unpricedTokens: 0,
    outOfSight: false,
    ...extra,
  };
}

function state(extra: Partial<State>): State {
  return {
    generated_at: '2026-11-20T10:00:00.000Z',
    counts: {},
    queued: [],
    running: [],
    retrying: [],
    blocked: [],
    completed: [],
    failed: [],
    totals: { tokens: NO_TOKENS, cost_usd: null, unpriced_tokens: 0, attempts: 0 },
    paused: null,
    warnings: [],
    notices: [],
    needs_person: [],
    ...extra,
  };
}

const shape = (issues: Issue[], asking = NOBODY) =>
  Object.fromEntries(
    boardColumns(issues, asking).map((column) => [
      column.name,
      column.issues.map((entry) => entry.identifier),
    ]),
  );

describe('merging the lists', () => {
  it('shows an issue once, as the newer list tells it', () => {
    const stale = issue(1, { status: 'queued', updatedAt: '2026-11-20T09:00:00.000Z' });
    const merged = mergeIssues(
      [stale],
      state({ running: [issue(1, { status: 'running' })], failed: [issue(2)] }),
    );
    expect(merged.map((entry) => [entry.identifier, entry.status])).toEqual([
      ['SY-1', 'running'],
      ['SY-2', 'idle'],
    ]);
  });

  it('keeps issues of two trackers with one id apart', () => {
    expect(
      mergeIssues([issue(1)], state({ queued: [issue(1, { tracker: 'github' })] })),
    ).toHaveLength(2);
  });

  it('does with the local list alone', () => {
    expect(mergeIssues([issue(1)], undefined)).toHaveLength(1);
  });
});

describe('columns', () => {
  it('shows the built-in states in their order, also the empty ones', () => {
    expect(boardColumns([], NOBODY).map((column) => column.name)).toEqual([
      'Backlog',
      'Todo',
      'In Progress',
      'In Review',
      'Done',
      'Canceled',
    ]);
  });

  it('puts what its tracker shows no more behind all others, whatever its state was', () => {
    const columns = boardColumns([issue(1), issue(2, { outOfSight: true })], NOBODY);
    expect(columns.at(-1)).toMatchObject({
      name: 'Not tracked',
      issues: [{ identifier: 'SY-2' }],
    });
    expect(columns.find(({ name }) => name === 'Todo')?.issues).toHaveLength(1);
  });

  it('puts other trackers’ states where they belong and unknown ones before the final ones', () => {
    const issues = [
      issue(1, { state: 'in progress' }),
      issue(2, { state: 'Closed' }),
      issue(3, { state: 'Waiting for design' }),
      issue(4, { state: 'Cancelled' }),
    ];
    const columns = boardColumns(issues, NOBODY).map((column) => column.name);
    expect(columns).toEqual([
      'Backlog',
      'Todo',
      'In Progress',
      'In Review',
      'Waiting for design',
      'Done',
      'Canceled',
    ]);
    expect(shape(issues)).toMatchObject({
      'In Progress': ['SY-1'],
      Done: ['SY-2'],
      'Waiting for design': ['SY-3'],
      Canceled: ['SY-4'],
    });
  });

  it('puts first who needs a person, then what runs, then by priority with none last', () => {
    const issues = [
      issue(1),
      issue(2, { priority: 3 }),
      issue(3, { priority: 1 }),
      issue(4, { status: 'running' }),
      issue(5, { status: 'running', priority: 4 }),
    ];
    expect(shape(issues, new Set(['SY-4']))['Todo']).toEqual([
      'SY-4',
      'SY-5',
      'SY-3',
      'SY-2',
      'SY-1',
    ]);
  });
});

describe('searching', () => {
  it('finds all words in any order, in title, label, reason or identifier', () => {
    const found = issue(7, {
      title: 'Upgrade the SDK',
      labels: ['deps'],
      reason: 'Needs an owner',
    });
    expect(['sdk upgrade', 'sy-7', 'DEPS owner', ''].map((words) => matches(found, words))).toEqual(
      [true, true, true, true],
    );
    expect(matches(found, 'sdk python')).toBe(false);
  });
});

describe('the column that comes into view where only one fits', () => {
  const shown = (issues: Issue[], needing: string[] = []) => {
    const needs = new Set(needing);
    return columnToShow(boardColumns(issues, needs), needs);
  };
  const idle = issue(1, { state: 'Backlog' });
  const running = issue(2, { state: 'In Progress', status: 'running' });
  const toReview = issue(3, { state: 'In Review', status: 'completed' });

  it('is that of what needs a person, before what runs, before what is there', () => {
    expect(shown([idle, running, toReview], ['SY-3'])).toBe('In Review');
    expect(shown([idle, running, toReview])).toBe('In Progress');
    expect(shown([idle, toReview])).toBe('Backlog');
    expect(shown([toReview])).toBe('In Review');
    expect(shown([])).toBeNull();
  });
});
