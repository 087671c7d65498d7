import { LOCAL_STATES as CONTRACT_STATES } from '@switchyard/shared/api/work/local-issue';
import { describe, expect, it } from 'vitest';
import { staleKeys } from './keep-queries-live.ts';
import { LOCAL_STATES } from './local-states.ts';

const event = (type: string, data: Record<string, unknown> = {}) => ({
  seq: 1,
  type,
  at: '2026-11-20T10:00:00.000Z',
  data,
});
const names = (type: string, data?: Record<string, unknown>) =>
  staleKeys(event(type, data)).map((key) => key.join(' '));

describe('what an event makes stale', () => {
  it('fetches nothing again for the flood of attempt events', () => {
    expect(names('attempt.event', { identifier: 'SY-1' })).toEqual([]);
  });

  it('renews the board and the issue it is about', () => {
    expect(names('issue.blocked', { identifier: 'SY-1' })).toEqual(
      expect.arrayContaining(['state', 'local-issues', 'issue SY-1', 'attempts SY-1']),
    );
    expect(names('issue.blocked', { identifier: 'SY-1' })).not.toContain('issue SY-2');
  });

  it('renews the shown tree, whichever of its issues changes', () => {
    for (const type of ['issue.updated', 'attempt.ended', 'pull_request.opened'])
      expect(names(type, { identifier: 'SY-2' })).toContain('tree');
    const usage = { identifier: 'SY-2', kind: 'usage' };
    expect(names('attempt.event', usage)).toEqual(['issue SY-2', 'attempts SY-2']);
  });

  it('renews what is known of unfinished work with every checkpoint', () => {
    expect(names('attempt.checkpoint', { identifier: 'SY-1', attemptId: 'a1' })).toEqual([
      'checkpoints a1',
      'issue-diff SY-1',
    ]);
  });

  it('renews the checks of an attempt while they run, and when it ends', () => {
    const check = { identifier: 'SY-1', attemptId: 'a1', kind: 'check' };
    expect(names('attempt.event', check)).toEqual(['attempt-checks a1']);
    for (const type of ['attempt.ended', 'attempt.requeued'])
      expect(names(type, { attemptId: 'a1' })).toContain('attempt-checks a1');
  });

  it('renews the evidence of an attempt when it leaves files, and when it ends', () => {
    const artifacts = { identifier: 'SY-1', attemptId: 'a1', kind: 'artifacts' };
    expect(names('attempt.event', artifacts)).toEqual(['attempt-evidence a1']);
    expect(names('attempt.ended', { attemptId: 'a1' })).toContain('attempt-evidence a1');
  });

  it('renews the merge queue when it changes, and with pull requests and policies', () => {
    expect(names('merge_queue.changed', { identifier: 'SY-1' })).toEqual(
      expect.arrayContaining(['merge-queue', 'issue SY-1', 'attempts SY-1']),
    );
    for (const type of ['pull_request.merged', 'pull_request.closed', 'config.changed'])
      expect(names(type)).toContain('merge-queue');
  });

  it('renews the reviews of a pull request when one changes, and with policies', () => {
    expect(names('review.changed', { identifier: 'SY-1', pullRequestId: 'pr_1' })).toEqual(
      expect.arrayContaining(['reviews pr_1', 'issue SY-1', 'attempts SY-1']),
    );
    for (const type of ['pull_request.closed', 'config.changed'])
      expect(names(type)).toContain('reviews');
  });

  it('renews the inbox for requests and the list for runners', () => {
    expect(names('request.asked', { identifier: 'SY-1' })).toContain('requests');
    expect(names('runner.connected')).toContain('runners');
  });

  it.each([
    ['notification.created', 'notifications'],
    ['webhook.dead', 'dead-letters'],
    ['automation.ended', 'automation-runs'],
    ['alert.fired', 'alerts'],
    ['config.changed', 'config-overlay'],
    ['config.changed', 'automations'],
    ['runner.connected', 'setup'],
    ['config.changed', 'setup-check'],
  ])('renews the view that %s concerns', (type, key) => expect(names(type)).toContain(key));

  it('leaves unknown events alone', () => {
    expect(names('weather.changed')).toEqual([]);
  });
});

describe('the built-in states', () => {
  it('are those of the contract, in its order', () => {
    expect(LOCAL_STATES).toEqual(CONTRACT_STATES);
  });
});
