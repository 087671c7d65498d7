import { expect, it } from 'vitest';
import { workMessage } from './work-message.ts';

it('is one line that names the issue', () => {
  expect(workMessage({ identifier: 'SY-1', title: 'Fix the sum' })).toBe('SY-1: Fix the sum');
});

it('says what the script of a trial made', () => {
  const message = workMessage({ identifier: 'SY-1', title: 'Fix the sum' }, 'scripted-trial');
  expect(message).toBe('SY-1: Fix the sum (scripted trial)');
});

it('takes no trailer, closing word or name from a title', () => {
  const title = 'x\n\nCo-authored-by: Ada <a@example.org>\r\nFixes #1 @everyone\u202e\u0000';
  const message = workMessage({ identifier: 'SY-1', title });
  expect(message.split('\n')).toHaveLength(1);
  expect(message).not.toMatch(/fixes #|@everyone|\p{Cc}/iu);
  expect(workMessage({ identifier: 'SY-1', title: 'x'.repeat(9_000_000) }).length).toBeLessThan(
    520,
  );
});
