import { describe, expect, it } from 'vitest';
import type { ShownRequest } from './queries.ts';
import { requestRecord } from './request-record.ts';

const question = (id: string) => ({
  id,
  header: id,
  question: `${id}?`,
  options: [],
  isSecret: false,
});
const ROW: ShownRequest = {
  request_id: 'req_1',
  attempt_id: 'att_1',
  epoch: 1,
  identifier: 'SY-1',
  engine_request_id: 'engine-1',
  state: 'asked',
  questions: [question('colour'), { ...question('key'), isSecret: true }],
  plan: null,
  isPlanStale: 0,
  answers: null,
  answered_by: null,
  asked_at_ms: 0,
  answered_at_ms: null,
  expires_at_ms: 1_000,
};

describe('a question as people see it', () => {
  it('shows what is asked and until when', () => {
    expect(requestRecord(ROW)).toMatchObject({
      requestId: 'req_1',
      identifier: 'SY-1',
      state: 'asked',
      answers: null,
      askedAt: '1970-01-01T00:00:00.000Z',
      answeredAt: null,
      expiresAt: '1970-01-01T00:00:01.000Z',
    });
  });

  it('hides the answers to secret questions, and only these', () => {
    const answers = { colour: ['red'], key: ['hunter2', 'hunter3'] };
    const shown = requestRecord({ ...ROW, state: 'answered', answers, answered_at_ms: 5 });
    expect(shown.answers).toMatchObject({ colour: ['red'] });
    expect(shown.answers?.['key']).toHaveLength(2);
    expect(JSON.stringify(shown)).not.toContain('hunter');
  });
});
