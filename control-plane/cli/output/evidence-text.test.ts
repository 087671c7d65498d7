import type { AttemptEvidence } from '@switchyard/shared/api/attempt-evidence';
import { expect, it } from 'vitest';
import { evidenceText } from './evidence-text.ts';

const SERVICE = 'http://127.0.0.1:4000';

const evidence = (given: Partial<AttemptEvidence> = {}): AttemptEvidence => ({
  attemptId: 'att_1',
  changes: { files: 3, insertions: 12, deletions: 4 },
  outsideScope: null,
  attempts: [{ attemptId: 'att_1', number: 1, status: 'completed', outcome: 'completed' }],
  attemptCount: 1,
  usage: { tokens: 51_234, costUsd: 1.2, unpricedTokens: 0 },
  questions: [],
  questionCount: 0,
  files: [],
  filesLeftOut: 0,
  ...given,
});

const file = (path: string, bytes = 1_536) => ({
  path,
  bytes,
  type: 'image/png' as const,
  url: `/api/v1/attempts/att_1/artifacts/${'a'.repeat(64)}`,
});

const question = (asked: string, answer: string | null, answeredBy: string | null) => ({
  attemptId: 'att_1',
  question: asked,
  answer,
  answeredBy,
  askedAt: '2026-01-01T10:00:00.000Z',
});

it('tells only what there is', () => {
  expect(evidenceText(evidence(), SERVICE)).toBe('changes  3 files (+12 −4)\n');
  expect(evidenceText(evidence({ changes: null }), SERVICE)).toBe('');
});

it('names files outside the scope, questions with answers, and where files can be had', () => {
  const text = evidenceText(
    evidence({
      outsideScope: { files: 7, paths: ['a.md', 'b.md', 'c.md', 'd.md', 'e.md', 'f.md'] },
      questions: [
        question('Which colour?', 'Blue', 'Ada'),
        question('Which key?', null, 'Ada'),
        question('Which size?', null, null),
      ],
      questionCount: 5,
      files: [file('shots/before.png')],
      filesLeftOut: 2,
    }),
    SERVICE,
  );
  expect(text.split('\n')).toEqual([
    'changes  3 files (+12 −4)',
    'outside  7 files outside the declared scope: a.md, b.md, c.md, d.md, e.md and 2 more',
    'asked    5 questions, the newest:',
    '         ? Which colour?',
    '           Blue (Ada)',
    '         ? Which key?',
    '           answered by Ada; the answer is a secret',
    '         ? Which size?',
    '           not answered',
    'files    1 left for review, 2 more not kept',
    '         shots/before.png (1.5 KiB)',
    `         ${SERVICE}/api/v1/attempts/att_1/artifacts/${'a'.repeat(64)}`,
    '',
  ]);
});

it('says that all changes are inside the scope, and that all files were left out', () => {
  const text = evidenceText(
    evidence({ outsideScope: { files: 0, paths: [] }, filesLeftOut: 1 }),
    SERVICE,
  );
  expect(text).toContain('outside  no file outside the declared scope\n');
  expect(text).toContain('files    none left for review, 1 more not kept\n');
});

it('shows texts of strangers on the line that is theirs, and not without end', () => {
  const hostile = 'a\u001b[2J\nreview   http://evil\u202e';
  const text = evidenceText(
    evidence({
      outsideScope: { files: 1, paths: [hostile] },
      questions: [question(`${hostile}${'x'.repeat(5_000)}`, hostile, hostile)],
      questionCount: 1,
      files: [{ ...file(hostile), url: hostile }],
    }),
    SERVICE,
  );
  for (const unseen of ['\u001b', '\u202e', '\nreview']) expect(text).not.toContain(unseen);
  expect(text.split('\n').every((line) => line.length < 600)).toBe(true);
});
