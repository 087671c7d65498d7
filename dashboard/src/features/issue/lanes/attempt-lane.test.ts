import type { Attempt, StreamEvent } from '@switchyard/shared/api/work/attempt';
import type { IssuePullRequest } from '@switchyard/shared/api/work/pull-request';
import { describe, expect, it } from 'vitest';
import { attemptLane, checksSegment } from './attempt-lane.ts';

const at = (seconds: number) => new Date(1_700_000_000_000 + seconds * 1_000).toISOString();
const attempt = (endedAt: number | null) =>
  ({ queuedAt: at(0), endedAt: endedAt === null ? null : at(endedAt) }) as Attempt;

function phase(seconds: number, name: string): StreamEvent {
  return { seq: seconds, type: 'attempt.phase', at: at(seconds), data: { phase: name } };
}

function turn(seconds: number, payload: Record<string, unknown>): StreamEvent {
  const data = { kind: 'turn', payload };
  return { seq: seconds, type: 'attempt.event', at: at(seconds), data };
}

const run = [
  phase(2, 'leased'),
  phase(3, 'workspace'),
  phase(7, 'starting'),
  phase(9, 'streaming'),
  turn(9, { state: 'started', number: 1 }),
  turn(30, { state: 'ended', number: 1, status: 'completed' }),
  turn(30, { state: 'started', number: 2 }),
  turn(50, { state: 'ended', number: 2, status: 'failed' }),
  phase(50, 'delivering'),
];

describe("an attempt's lane", () => {
  const shape = (segments: ReturnType<typeof attemptLane>) =>
    segments.map(({ kind, fromMs, toMs }) => [
      kind,
      toMs === null ? null : (toMs - fromMs) / 1_000,
    ]);

  it('shows every part of its life with how long it took', () => {
    expect(shape(attemptLane(attempt(55), run))).toEqual([
      ['queued', 2],
      ['lease', 1],
      ['workspace', 4],
      ['start', 2],
      ['turn', 21],
      ['turn', 20],
      ['delivery', 5],
    ]);
  });

  it('shows how long it waited for a runner again', () => {
    const cut = [
      ...run.slice(0, 5),
      turn(20, { state: 'ended', number: 1, status: 'interrupted' }),
      { seq: 37, type: 'attempt.requeued', at: at(37), data: {} },
      phase(40, 'leased'),
    ];
    expect(shape(attemptLane(attempt(null), cut)).slice(4)).toEqual([
      ['turn', 11],
      ['between', 17],
      ['queued', 3],
      ['lease', null],
    ]);
  });

  it('says which turn failed', () => {
    const turns = attemptLane(attempt(55), run).filter(({ kind }) => kind === 'turn');
    expect(turns.map(({ number, failed }) => [number, failed])).toEqual([
      [1, false],
      [2, true],
    ]);
  });

  it('leaves the last part open while the attempt lives', () => {
    expect(shape(attemptLane(attempt(null), run.slice(0, 5))).at(-1)).toEqual(['turn', null]);
  });

  it('goes through the beginning again after its runner was lost', () => {
    const lost = [...run.slice(0, 5), phase(40, 'offered'), phase(42, 'leased')];
    expect(shape(attemptLane(attempt(44), lost)).slice(4)).toEqual([
      ['turn', 31],
      ['queued', 2],
      ['lease', 2],
    ]);
  });

  it('ends with the checks of what it delivered', () => {
    const check = { name: 'unit', url: null, startedAt: at(60), endedAt: at(80) };
    const delivered = (state: 'passed' | 'failed' | 'pending', attemptId = 'a1') =>
      ({
        pullRequest: { attemptId },
        checked: {
          headSha: 'x',
          checks: [
            { ...check, state: 'passed' },
            { ...check, state },
          ],
        },
      }) as IssuePullRequest;
    const ended = { ...attempt(55), attemptId: 'a1' };
    expect(checksSegment(ended, delivered('passed'))).toMatchObject({
      kind: 'checks',
      failed: false,
      fromMs: Date.parse(at(60)),
      toMs: Date.parse(at(80)),
    });
    expect(checksSegment(ended, delivered('failed'))?.failed).toBe(true);
    expect(checksSegment(ended, delivered('pending'))?.toMs).toBe(null);
    expect(checksSegment(ended, delivered('passed', 'a2'))).toBe(null);
    expect(checksSegment(ended, undefined)).toBe(null);
  });
});
