import { expect, it } from 'vitest';
import { reviewMessage } from './review.ts';

it('tells the agent every line, what stands there, and what is said of it', () => {
  const message = reviewMessage([
    { path: 'src/a.ts', line: 4, side: 'new', code: '  return 1;', text: 'Why not 2? ' },
    { path: 'src/b.ts', line: 9, side: 'old', code: 'check();', text: 'This was needed.' },
  ]);
  expect(message).toBe(
    'A person has read your changes and has 2 comments:\n\n' +
      'src/a.ts:4\n> return 1;\nWhy not 2?\n\n' +
      'src/b.ts, removed line 9\n> check();\nThis was needed.',
  );
});
