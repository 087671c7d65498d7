import { describe, expect, it } from 'vitest';
import { decideTrackerChange, type KnownIssue, type TrackerView } from './decide.ts';

const known = (changes: Partial<KnownIssue> = {}): KnownIssue => ({
  status: 'running',
  state: 'In Progress',
  parkedFingerprint: null,
  waitsToStart: false,
  waitsForPlan: false,
  isForPullRequest: false,
  trackerStarts: 0,
  ...changes,
});
const ACTIVE: TrackerView = {
  kind: 'present',
  state: 'In Progress',
  active: true,
  terminal: false,
  fingerprint: 'now',
};
const INACTIVE: TrackerView = { ...ACTIVE, state: 'Backlog', active: false };
const TERMINAL: TrackerView = { ...ACTIVE, state: 'Done', active: false, terminal: true };
const GONE: TrackerView = { kind: 'gone' };
const UNASKED: TrackerView = { kind: 'gone', why: 'no route' };
const NOTHING = {
  stop: null,
  status: null,
  reason: null,
  code: null,
  wake: false,
  parkedFingerprint: null,
};
const RESTING = ['completed', 'failed', 'blocked', 'cancelled'] as const;

describe('an issue that waits with a plan', () => {
  const waiting = known({ status: 'blocked', parkedFingerprint: 'before', waitsForPlan: true });

  it('goes on waiting when its text changes, or its state is no active one', () => {
    expect(decideTrackerChange(waiting, null, ACTIVE)).toEqual({
      ...NOTHING,
      parkedFingerprint: 'now',
    });
    expect(decideTrackerChange(waiting, null, INACTIVE)).toMatchObject({ status: null });
  });

  it.each([TERMINAL, GONE, UNASKED])('waits for nothing once it is over: %o', (view) => {
    expect(decideTrackerChange(waiting, null, view)).toMatchObject({ status: 'idle', wake: false });
  });

  it('does not leave its plan to another issue under its number', () => {
    const other = { kind: 'other' } as const;
    expect(decideTrackerChange(waiting, null, other)).toMatchObject({ status: 'idle', wake: true });
    const spent = { ...waiting, trackerStarts: 3 };
    expect(decideTrackerChange(spent, null, other)).toMatchObject({
      status: 'blocked',
      code: 'tracker_starts_used',
    });
  });
});

describe('an issue that left the active states', () => {
  it.each([INACTIVE, TERMINAL, GONE, UNASKED])('stops its live attempt: %o', (view) => {
    const change = decideTrackerChange(known(), { delivering: false }, view);
    expect(change).toMatchObject({ status: null, wake: false });
    expect(change.stop).not.toBeNull();
  });

  it('stops no attempt that delivers where it only went to review', () => {
    expect(decideTrackerChange(known(), { delivering: true }, INACTIVE)).toEqual(NOTHING);
  });

  it.each([TERMINAL, GONE, UNASKED])(
    'stops an attempt that delivers where it is over: %o',
    (view) => {
      expect(decideTrackerChange(known(), { delivering: true }, view).stop).not.toBeNull();
    },
  );

  it.each(['queued', 'retrying'] as const)('waits no longer when it was %s', (status) => {
    expect(decideTrackerChange(known({ status }), null, INACTIVE)).toMatchObject({
      status: 'idle',
      reason: 'moved to Backlog in the tracker',
      code: 'tracker_moved',
    });
  });

  it('no longer waits for what it could not start without', () => {
    const idle = known({ status: 'idle', waitsToStart: true });
    const left = { status: 'idle', code: 'tracker_moved' };
    expect(decideTrackerChange(idle, null, TERMINAL)).toMatchObject(left);
    expect(decideTrackerChange(known({ status: 'idle' }), null, TERMINAL)).toEqual(NOTHING);
  });

  it.each(RESTING)('rests on when it was %s, and remembers what it looks like now', (status) => {
    const change = decideTrackerChange(
      known({ status, parkedFingerprint: 'then' }),
      null,
      INACTIVE,
    );
    expect(change).toEqual({ ...NOTHING, parkedFingerprint: 'now' });
    expect(decideTrackerChange(known({ status, parkedFingerprint: 'then' }), null, GONE)).toEqual(
      NOTHING,
    );
  });

  it('counts as having left when a state is both active and terminal', () => {
    const both = { ...ACTIVE, terminal: true };
    expect(decideTrackerChange(known({ status: 'queued' }), null, both)).toMatchObject({
      status: 'idle',
    });
  });
});

describe('an issue in an active state', () => {
  it.each(['idle', 'queued', 'running', 'retrying'] as const)(
    'is left alone while %s',
    (status) => {
      const live = status === 'running' ? { delivering: false } : null;
      expect(
        decideTrackerChange(known({ status, parkedFingerprint: 'then' }), live, ACTIVE),
      ).toEqual(NOTHING);
    },
  );

  it.each(RESTING)('wakes from %s when a person changed it', (status) => {
    expect(
      decideTrackerChange(known({ status, parkedFingerprint: 'then' }), null, ACTIVE),
    ).toMatchObject({
      status: 'idle',
      wake: true,
    });
  });

  it.each(RESTING)('stays %s when nothing a person can change is different', (status) => {
    expect(decideTrackerChange(known({ status, parkedFingerprint: 'now' }), null, ACTIVE)).toEqual(
      NOTHING,
    );
    expect(decideTrackerChange(known({ status, parkedFingerprint: null }), null, ACTIVE)).toEqual(
      NOTHING,
    );
  });
});

describe('work that the tracker alone has started again and again', () => {
  const spent = (changes: Partial<KnownIssue> = {}) =>
    known({ status: 'completed', parkedFingerprint: 'then', trackerStarts: 3, ...changes });

  it('is not started once more, and says so', () => {
    expect(decideTrackerChange(spent(), null, ACTIVE)).toMatchObject({
      status: 'blocked',
      code: 'tracker_starts_used',
      wake: false,
      reason: expect.stringContaining('In Progress'),
      parkedFingerprint: 'now',
    });
    expect(decideTrackerChange(spent({ trackerStarts: 2 }), null, ACTIVE)).toMatchObject({
      status: 'idle',
      wake: true,
    });
  });

  it('keeps the reason for which it is blocked already', () => {
    const change = decideTrackerChange(spent({ status: 'blocked' }), null, ACTIVE);
    expect(change).toEqual({ ...NOTHING, parkedFingerprint: 'now' });
  });

  it('is not started by another issue under its number either', () => {
    const other: TrackerView = { kind: 'other' };
    const blocked = { status: 'blocked', code: 'tracker_starts_used', wake: false };
    expect(decideTrackerChange(spent(), null, other)).toMatchObject(blocked);
    const stopped = { wake: false, stop: { code: 'tracker_replaced' } };
    const live = { delivering: false };
    expect(decideTrackerChange(spent({ status: 'running' }), live, other)).toMatchObject(stopped);
  });
});
