import {
  MAX_ARTIFACT_BYTES,
  MAX_ARTIFACTS,
  MAX_ARTIFACTS_BYTES,
} from '@switchyard/shared/evidence/artifact';
import { AttemptEvidence } from '@switchyard/shared/api/attempt-evidence';
import { formatBytes } from '@switchyard/shared/text/units/format-bytes';
import { describe, expect, it } from 'vitest';
import {
  answeredText,
  earlierText,
  FILE_LIMITS,
  isEmptyEvidence,
  leftOutText,
} from './evidence-labels.ts';

const ASKED = {
  attemptId: 'a1',
  question: 'Which?',
  answer: 'Both',
  answeredBy: 'ada',
  askedAt: '2026-11-20T10:00:00.000Z',
};
const FILE = { path: 'a.png', bytes: 1, type: 'image/png', url: '/a' } as const;

function evidence(changes: Partial<AttemptEvidence>): AttemptEvidence {
  return AttemptEvidence.parse({
    attemptId: 'a1',
    changes: { files: 1, insertions: 1, deletions: 0 },
    outsideScope: null,
    attempts: [{ attemptId: 'a1', number: 1, status: 'completed', outcome: 'completed' }],
    attemptCount: 1,
    usage: { tokens: 0, costUsd: null, unpricedTokens: 0 },
    questions: [],
    questionCount: 0,
    files: [],
    filesLeftOut: 0,
    ...changes,
  });
}

describe('what is told of how work was made', () => {
  it('is nothing of one attempt that used nothing, asked nothing and left nothing', () =>
    expect(isEmptyEvidence(evidence({}))).toBe(true));

  it.each<Partial<AttemptEvidence>>([
    { outsideScope: { files: 0, paths: [] } },
    { attemptCount: 2 },
    { usage: { tokens: 1, costUsd: null, unpricedTokens: 1 } },
    { questions: [ASKED], questionCount: 1 },
    { files: [FILE] },
    { filesLeftOut: 1 },
  ])('is there with %j', (changes) => expect(isEmptyEvidence(evidence(changes))).toBe(false));

  it('says of files that were not kept how many and why', () => {
    expect(leftOutText(evidence({}))).toBeNull();
    expect(leftOutText(evidence({ filesLeftOut: 1 }))).toMatch(/^1 more file was not kept: /);
    expect(leftOutText(evidence({ filesLeftOut: 3 }))).toMatch(/^3 more files were not kept: /);
  });

  it('names the limits of the contract', () => {
    expect(FILE_LIMITS).toContain(`${MAX_ARTIFACTS} files`);
    expect(FILE_LIMITS).toContain(`each up to ${formatBytes(MAX_ARTIFACT_BYTES)}`);
    expect(FILE_LIMITS).toContain(`together up to ${formatBytes(MAX_ARTIFACTS_BYTES)}`);
  });

  it.each([
    [{}, 'Answered by ada'],
    [{ answeredBy: 'me' }, 'Answered by you'],
    [{ answer: null }, 'Answered by ada; the answer is a secret'],
    [{ answer: null, answeredBy: null }, 'Not answered'],
    [{ answeredBy: null }, 'Answered'],
  ])('says who answered with %j', (changes, words) =>
    expect(answeredText({ ...ASKED, ...changes }, 'me')).toBe(words),
  );

  it('counts what a list of the newest leaves out', () => {
    expect(earlierText(3, 3, 'attempt')).toBeNull();
    expect(earlierText(51, 50, 'attempt')).toBe('1 earlier attempt not listed');
    expect(earlierText(52, 50, 'attempt')).toBe('2 earlier attempts not listed');
  });
});
