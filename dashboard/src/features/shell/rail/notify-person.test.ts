import { describe, expect, it } from 'vitest';
import { personNotice } from './notify-person.ts';

const event = (type: string, data: Record<string, unknown>) => ({
  seq: 1,
  type,
  at: '2026-01-01T00:00:00.000Z',
  data,
});

describe('what is worth a notification', () => {
  it('is what waits for a person, with why', () => {
    expect(personNotice(event('issue.blocked', { identifier: 'SY-3', reason: 'no key' }))).toEqual({
      identifier: 'SY-3',
      title: 'SY-3 is blocked',
      body: 'No key',
    });
    const question = 'Which\u202e colour?\nBlue?';
    expect(personNotice(event('request.asked', { identifier: 'SY-4', question }))).toEqual({
      identifier: 'SY-4',
      title: 'SY-4 has a question',
      body: 'Which colour? Blue?',
    });
  });

  it('is nothing that goes its way', () => {
    expect(personNotice(event('issue.completed', { identifier: 'SY-3' }))).toBe(null);
    expect(personNotice(event('issue.failed', {}))).toBe(null);
  });
});
