import { describe, expect, it } from 'vitest';
import { feedLine } from './feed-line.ts';

const event = (type: string, data: Record<string, unknown> = {}) => ({
  seq: 1,
  type,
  at: '2026-01-01T00:00:00.000Z',
  data,
});

describe('a line of the feed', () => {
  it('says why an attempt ended', () => {
    const ended = { outcome: 'oom', failureKind: 'container_oom' };
    expect(feedLine(event('attempt.ended', ended))).toMatchObject({
      text: 'attempt out of memory',
      detail: 'The sandbox ran out of memory.',
      tone: 'bad',
    });
  });

  it('says who answered, in the words for who did what', () => {
    const answered = event('request.answered', { answeredBy: 'local' });
    expect(feedLine(answered, 'local').text).toBe('question answered by you');
    expect(feedLine(answered, 'ada').text).toBe('question answered by the local user');
  });

  it('says where a pull request is in the merge queue, and why', () => {
    const held = { state: 'held', reason: 'taken out by Ada', reasonCode: 'merge_removed' };
    expect(feedLine(event('merge_queue.changed', held))).toMatchObject({
      text: 'held in the merge queue',
      detail: expect.stringContaining('taken out by Ada'),
    });
    expect(feedLine(event('merge_queue.changed', { state: 'testing' })).text).toBe(
      'merge test started',
    );
    const left = { state: null, reason: null, reasonCode: null };
    expect(feedLine(event('merge_queue.changed', left)).text).toBe('left the merge queue');
    for (const state of [undefined, 'moon'])
      expect(feedLine(event('merge_queue.changed', { state })).text).toBe('merge queue changed');
  });

  it('says what became of a review, and why it has no verdict', () => {
    const lineOf = (data: Record<string, unknown>) => feedLine(event('review.changed', data));
    expect(lineOf({ state: 'running', reason: 'it runs' })).toMatchObject({
      text: 'review started',
      detail: '',
    });
    expect(lineOf({ state: 'done', verdict: 'approved' }).tone).toBe('good');
    expect(lineOf({ state: 'done', verdict: 'changes_requested' }).text).toBe(
      'review asks for changes',
    );
    const reason = 'no engine is called nobody';
    expect(lineOf({ state: 'failed', reason, reasonCode: 'review_failed' })).toMatchObject({
      text: 'review ended without a verdict',
      detail: expect.stringContaining(reason),
    });
    expect(lineOf({ state: 'waiting', reason: 'busy' }).text).toBe('review is repeated later');
    for (const state of [undefined, 'moon']) expect(lineOf({ state }).text).toBe('review changed');
  });

  it('keeps the name of what it does not know', () => {
    expect(feedLine(event('moon.rose'))).toMatchObject({ text: 'moon.rose', detail: '' });
  });

  it('takes anything for data', () => {
    expect(feedLine(event('issue.failed', { reason: 7 }))).toMatchObject({ detail: '' });
  });
});
