import type { AttemptEvidence } from '@switchyard/shared/api/attempt-evidence';
import { describe, expect, it } from 'vitest';
import { toHtml } from '../../../test/support/markdown/to-html.ts';
import { evidenceLine, evidenceText } from './evidence-text.ts';
import { pullRequestText } from './pull-request-text.ts';

const ORIGIN = 'https://switchyard.example';
const PAGE = `${ORIGIN}/issues/SY-1?attempt=att_1`;
const HOSTILE = '](https://evil.example) ```\n## Approved\n@everyone Closes #1 <img src=x> `';

const evidence = (more: Partial<AttemptEvidence> = {}): AttemptEvidence => ({
  attemptId: 'att_1',
  changes: { files: 5, insertions: 120, deletions: 14 },
  outsideScope: null,
  attempts: [attempt(1)],
  attemptCount: 1,
  usage: { tokens: 1_234_567, costUsd: 1.2, unpricedTokens: 0 },
  questions: [],
  questionCount: 0,
  files: [],
  filesLeftOut: 0,
  ...more,
});
const attempt = (number: number) => ({
  attemptId: `att_${number}`,
  number,
  status: 'completed' as const,
  outcome: 'completed' as const,
});
const question = (more: Partial<AttemptEvidence['questions'][number]> = {}) => ({
  attemptId: 'att_1',
  question: 'Which **colour**?',
  answer: 'Blue',
  answeredBy: 'ada',
  askedAt: '2026-01-02T03:04:05.000Z',
  ...more,
});
const file = (path: string) => ({
  path,
  bytes: 1_536,
  type: 'image/png' as const,
  url: '/api/v1/attempts/att_1/artifacts/00',
});
const brief = (more: Partial<AttemptEvidence> = {}) =>
  evidenceText(evidence(more), { detail: 'brief', origin: ORIGIN, page: PAGE });
const full = (more: Partial<AttemptEvidence> = {}) =>
  evidenceText(evidence(more), { detail: 'full', origin: ORIGIN, page: PAGE });

describe('how the work was made, in a pull request', () => {
  it('is told in a line where there is nothing else to tell', () => {
    expect(brief()).toBe('## How it was made\n\n- 5 files changed (+120 −14)');
    expect(brief({ changes: { files: 1, insertions: 1, deletions: 0 } })).toContain(
      '- 1 file changed (+1 −0)',
    );
    expect(brief({ changes: null })).toContain('- No changes were handed in');
  });

  it('names the files outside the declared scope, the first ten', () => {
    expect(brief({ outsideScope: { files: 0, paths: [] } })).toContain(
      '- 5 files changed (+120 −14), all within the declared scope',
    );
    const paths = Array.from({ length: 12 }, (_, index) => `lib/${index}.ts`);
    const text = brief({ outsideScope: { files: 30, paths } });
    expect(text).toContain('- 30 files are outside the declared scope: ` lib/0.ts `, ');
    expect(text).toContain('` lib/9.ts ` and 20 more');
    expect(text).not.toContain('lib/10.ts');
    expect(brief({ outsideScope: { files: 1, paths: ['a'] } })).toContain(
      '- 1 file is outside the declared scope: ` a `',
    );
  });

  it('counts attempts and questions, and tells what was said only in full', () => {
    const asked = {
      attempts: [attempt(1), attempt(2)],
      attemptCount: 2,
      questions: [question(), question({ answer: null, answeredBy: null })],
      questionCount: 2,
    };
    expect(brief(asked)).toContain('\n- 2 attempts\n- 2 questions asked, 1 answered');
    expect(brief(asked)).not.toMatch(/colour|Blue|tokens/);
    const text = full(asked);
    expect(text).toContain('- 1,234,567 tokens, $1.20');
    expect(text).toContain('> Which **colour**?');
    expect(text).toContain('Answered by ada:\n\n> Blue');
    expect(text).toContain('Nobody answered.');
    expect(full({ questionCount: 30, questions: [question()] })).toContain(
      '30 questions asked; of the newest 1, 1 was answered',
    );
  });

  it('says what a cost lacks, and hides what is secret', () => {
    const usage = { tokens: 7, costUsd: 1.2, unpricedTokens: 5 };
    expect(full({ usage })).toContain('- 7 tokens, ≥ $1.20');
    const unpriced = { tokens: 7, costUsd: null, unpricedTokens: 7 };
    expect(full({ usage: unpriced })).toContain('- 7 tokens, no price');
    const secret = question({ answer: null });
    expect(full({ questions: [secret], questionCount: 1 })).toContain(
      'Answered by ada; the answer is a secret.',
    );
  });

  it('links the files that the agent left, where people can open this service', () => {
    const files = [file('shots/home.png'), file('b.png')];
    expect(brief({ files, filesLeftOut: 2 })).toContain(
      [
        `- Files that the agent left for review, [shown together](<${PAGE}>):`,
        '  - [` shots/home.png `](<https://switchyard.example/api/v1/attempts/att_1/artifacts/00>) (1.5 KiB)',
        '  - [` b.png `](<https://switchyard.example/api/v1/attempts/att_1/artifacts/00>) (1.5 KiB)',
        '  - 2 more, beyond the limits, were not kept',
      ].join('\n'),
    );
    const unlinked = evidenceText(evidence({ files }), {
      detail: 'brief',
      origin: null,
      page: null,
    });
    expect(unlinked).toContain('  - ` b.png ` (1.5 KiB)');
    expect(unlinked).not.toContain('](');
  });

  it('lets no name, question or answer act or leave its place', () => {
    const text = full({
      outsideScope: { files: 1, paths: [HOSTILE] },
      files: [file(HOSTILE)],
      questions: [question({ question: HOSTILE, answer: HOSTILE, answeredBy: HOSTILE })],
      questionCount: 1,
    });
    expect(text).not.toMatch(/@everyone|Closes #1/);
    const html = toHtml(text);
    expect(html).not.toMatch(/<img|href="https:\/\/evil/);
    expect(html.match(/<h2>/g)).toHaveLength(1);
    // The file, and the page that shows it.
    expect(html.match(/<a href/g)).toHaveLength(2);
  });

  it('leaves the body below the limit of a code host, whatever there is to tell', () => {
    const long = '`@a \n'.repeat(2_000);
    const more = {
      outsideScope: { files: 1_000, paths: Array.from({ length: 20 }, () => long) },
      questions: Array.from({ length: 20 }, () =>
        question({ question: long, answer: long, answeredBy: long }),
      ),
      questionCount: 20,
      files: Array.from({ length: 20 }, () => file(long)),
    };
    const check = {
      name: long,
      command: long,
      state: 'failed' as const,
      exitCode: 1,
      durationMs: 1,
      runs: 2,
      output: long,
      changedFiles: [long, long, long, long],
      message: long,
      commitSha: 'b'.repeat(40),
      startedAt: null,
      endedAt: null,
    };
    const { body } = pullRequestText({
      issue: { identifier: 'SY-1', title: long, description: 'a\n\n'.repeat(5_000), url: null },
      summary: 'a\n\n'.repeat(10_000),
      attempt: { number: 1, url: null },
      draft: true,
      problems: [long],
      checks: Array.from({ length: 20 }, () => check),
      commitSha: 'b'.repeat(40),
      evidence: { facts: evidence(more), detail: 'full', origin: `https://${'h'.repeat(250)}` },
    });
    expect(body).toContain('## How it was made');
    expect(body.length).toBeLessThan(65_536);
    expect(body.match(/^a$/gm)?.length).toBeGreaterThan(1_000);
  });
});

describe('evidenceLine', () => {
  it('says in a line how large the work is and what it took', () => {
    expect(evidenceLine(evidence())).toBe('5 files changed (+120 −14).');
    const more = {
      outsideScope: { files: 2, paths: ['a', 'b'] },
      attemptCount: 2,
      questions: [question()],
      questionCount: 1,
      files: [file('a'), file('b'), file('c')],
    };
    expect(evidenceLine(evidence(more))).toBe(
      '5 files changed (+120 −14), 2 outside the declared scope. 2 attempts, 1 question answered, 3 files left for review.',
    );
    expect(evidenceLine(evidence({ changes: null }))).toBeNull();
  });
});
