import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { describe, expect, it } from 'vitest';
import { MAX_RESET_WAIT_MS } from '../../attempts/decide.ts';
import {
  decideFinish,
  endingOfFinish,
  type FinishedAttempt,
  type FinishStanding,
  standingOf,
} from './decide-finish.ts';

type Finish = RunnerMessageOf<'finish'>;

const HELD: FinishedAttempt = {
  status: 'running',
  phase: 'streaming',
  runner_id: 'run_1',
  epoch: 3,
  former_runner_id: null,
  former_epoch: null,
  released_at_ms: null,
  last_seq: 7,
  digest: 'd'.repeat(64),
  cancel_requested_at_ms: null,
  cancel_kind: null,
  cancel_reason: null,
  reason_code: null,
  kind: 'work',
  spec: {},
};
/** Taken from run_1 and given to another runner. */
const TAKEN: FinishedAttempt = {
  ...HELD,
  runner_id: 'run_2',
  epoch: 4,
  former_runner_id: 'run_1',
  former_epoch: 3,
};
const DELIVERY: NonNullable<Finish['delivery']> = {
  branch: 'switchyard/sy-1',
  baseBranch: 'main',
  baseCommit: 'a'.repeat(40),
  commitSha: 'b'.repeat(40),
  diffStat: { files: 1, insertions: 2, deletions: 0 },
};
const DONE: Finish = {
  type: 'finish',
  attemptId: 'att_1',
  epoch: 3,
  finalSeq: 7,
  digest: 'd'.repeat(64),
  outcome: 'completed',
  marker: 'DONE',
  summary: 'Done.',
  delivery: DELIVERY,
};
const FAILED: Finish = { ...DONE, outcome: 'failed', marker: null, delivery: undefined };

describe('who tells a finish', () => {
  it.each<[string, FinishedAttempt, Finish, FinishStanding]>([
    ['the holder of the lease', HELD, DONE, 'held'],
    [
      'the holder again, after its end was stored',
      { ...HELD, released_at_ms: 1 },
      DONE,
      'answered',
    ],
    ['the holder before the attempt runs', { ...HELD, status: 'queued' }, DONE, 'foreign'],
    ['a runner that never had it', { ...HELD, runner_id: 'run_2' }, DONE, 'foreign'],
    ['a runner of an older lease', HELD, { ...DONE, epoch: 2 }, 'foreign'],
    ['one that was cut off, with finished work', TAKEN, DONE, 'late'],
    ['one that was cut off, after a failure', TAKEN, FAILED, 'foreign'],
    [
      'one that was cut off, whose attempt waits again',
      { ...TAKEN, status: 'queued', runner_id: null },
      { ...DONE, delivery: undefined },
      'late',
    ],
    [
      'one that was cut off, while another delivers',
      { ...TAKEN, phase: 'delivering' },
      DONE,
      'foreign',
    ],
    [
      'one that was cut off, after a stop',
      { ...TAKEN, cancel_requested_at_ms: 5 },
      DONE,
      'foreign',
    ],
    [
      'one that was cut off, and was answered',
      { ...TAKEN, runner_id: 'run_1', released_at_ms: 1 },
      DONE,
      'answered',
    ],
  ])('%s', (_who, attempt, message, expected) => {
    expect(standingOf(attempt, 'run_1', message)).toBe(expected);
  });
});

describe('what becomes of a finish', () => {
  const facts = {
    standing: 'held' as const,
    attempt: HELD,
    failedChecks: [],
    deliveryProblem: null,
  };

  it('delivers finished work', () => {
    expect(decideFinish(facts, DONE)).toEqual({ kind: 'deliver' });
  });

  it('asks for events that are not stored, before it looks at anything else', () => {
    const missing = { ...facts, deliveryProblem: 'no', attempt: { ...HELD, last_seq: 5 } };
    expect(decideFinish(missing, DONE)).toEqual({ kind: 'resend', uptoSeq: 5 });
  });

  it.each([
    ['other events', { ...HELD, digest: 'e'.repeat(64) }],
    ['more events', { ...HELD, last_seq: 8 }],
  ])('refuses a stream of %s than those stored', (_name, attempt) => {
    expect(decideFinish({ ...facts, attempt }, DONE)).toMatchObject({ code: 'DIGEST' });
  });

  it('does not look at the events of a lease that is over', () => {
    const late = { ...facts, standing: 'late' as const, attempt: { ...TAKEN, last_seq: 0 } };
    expect(decideFinish(late, DONE)).toEqual({ kind: 'deliver' });
  });

  it('refuses a delivery that cannot be one of this attempt', () => {
    const strange = { ...facts, deliveryProblem: 'finish: only branches under …' };
    expect(decideFinish(strange, DONE)).toMatchObject({ code: 'INVALID' });
  });

  it.each([
    ['an attempt that only reads', { ...HELD, spec: { readOnly: true } }, DONE],
    ['an attempt that a person stopped', { ...HELD, cancel_kind: 'person' as const }, DONE],
    ['work without a change', HELD, { ...DONE, delivery: undefined }],
    ['a failure', HELD, FAILED],
  ])('ends without a delivery: %s', (_name, attempt, message) => {
    expect(decideFinish({ ...facts, attempt }, message)).toEqual({ kind: 'end' });
  });

  it('ends an attempt whose work failed its checks, unless another runner is at work on it', () => {
    const failedChecks = ['unit'];
    expect(decideFinish({ ...facts, failedChecks }, DONE)).toEqual({ kind: 'end' });
    const late = { ...facts, standing: 'late' as const, failedChecks };
    expect(decideFinish({ ...late, attempt: TAKEN }, DONE)).toEqual({ kind: 'refuse' });
    const waiting: FinishedAttempt = { ...TAKEN, status: 'queued', runner_id: null };
    expect(decideFinish({ ...late, attempt: waiting }, DONE)).toEqual({ kind: 'end' });
  });
});

describe('how the attempt ended', () => {
  const known = { failedChecks: [], planMode: 'ask' as const, nowMs: 1_000 };

  it('is as its runner says, without the line for programs', () => {
    const summary = 'All done.\nSWITCHYARD_STATUS: DONE';
    expect(endingOfFinish(HELD, { ...DONE, summary }, known)).toMatchObject({
      outcome: 'completed',
      code: null,
      marker: 'DONE',
      agentSummary: 'All done.',
    });
  });

  it('is refused work where checks failed', () => {
    expect(endingOfFinish(HELD, DONE, { ...known, failedChecks: ['unit'] })).toMatchObject({
      outcome: 'failed',
      failureKind: 'delivery_refused',
      code: 'checks_failed',
      message: expect.stringContaining('unit') as string,
    });
  });

  const PLANNING: FinishedAttempt = { ...HELD, kind: 'plan', spec: { readOnly: true } };
  const planned = (summary: string): Finish => ({ ...DONE, summary, delivery: undefined });

  it.each([
    ['ask', '1. Do it.', false],
    ['auto', '1. Do it.', true],
    ['off', '1. Do it.', false],
    ['auto', '## Questions\n- Which one?', false],
    ['auto', 'x'.repeat(20_001), false],
  ] as const)('is a plan: %s, %s', (planMode, summary, isApproved) => {
    const ending = endingOfFinish(PLANNING, planned(summary), { ...known, planMode });
    expect(ending).toMatchObject({ outcome: 'completed', plan: { isApproved } });
    expect(ending.plan?.text.length).toBeLessThanOrEqual(20_000);
  });

  it('is a failure of planning where there is no plan', () => {
    const summary = 'SWITCHYARD_STATUS: DONE';
    expect(endingOfFinish(PLANNING, planned(summary), known)).toMatchObject({
      outcome: 'failed',
      failureKind: 'agent_error',
    });
  });

  it.each([
    ['person', 'cancelled'],
    ['tracker', 'cancelled'],
    ['pause', 'completed'],
  ] as const)('is no plan where the %s has stopped the planning', (kind, outcome) => {
    const stopped = { ...PLANNING, cancel_requested_at_ms: 5, cancel_kind: kind };
    expect(endingOfFinish(stopped, planned('1. Do it.'), known)).toMatchObject({ outcome });
  });

  const STOPPED: FinishedAttempt = {
    ...HELD,
    cancel_requested_at_ms: 5,
    cancel_kind: 'pause',
    cancel_reason: 'paused by ada',
  };
  it.each<[string, Finish, string]>([
    ['whose agent failed', FAILED, 'cancelled'],
    ['whose agent has work left', { ...DONE, marker: null }, 'cancelled'],
    [
      'whose work is not pushed',
      { ...DONE, delivery: { ...DELIVERY, pushed: false } },
      'cancelled',
    ],
    ['whose agent was done before', DONE, 'completed'],
  ])('of one that was asked to stop, %s', (_name, message, outcome) => {
    expect(endingOfFinish(STOPPED, message, known)).toMatchObject({ outcome });
  });

  it('waits no longer than the longest limit for a reset that a runner tells', () => {
    const reset = (resetAtMs: number) =>
      endingOfFinish(HELD, { ...FAILED, failureKind: 'usage_limited', resetAtMs }, known).resetAtMs;
    expect(reset(2_000.5)).toBe(2_000);
    expect(reset(Number.MAX_SAFE_INTEGER)).toBe(1_000 + MAX_RESET_WAIT_MS);
  });
});
