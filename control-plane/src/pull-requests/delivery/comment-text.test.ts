import { describe, expect, it } from 'vitest';
import type { IssueStatus } from '@switchyard/shared/api/work/issue';
import { toHtml } from '../../../../test/support/markdown/to-html.ts';
import { type CommentFacts, commentText } from './comment-text.ts';

const ISSUE: CommentFacts['issue'] = {
  identifier: 'SY-1',
  status: 'running',
  reason: null,
  reason_code: null,
  pull_request_url: null,
  next_retry_at_ms: null,
};
const ATTEMPT: NonNullable<CommentFacts['attempt']> = {
  number: 2,
  summary: null,
  error_message: null,
  phase: 'streaming',
};

function text(
  issue: Partial<CommentFacts['issue']>,
  others: Partial<Omit<CommentFacts, 'issue'>> = {},
): string {
  return commentText({
    issue: { ...ISSUE, ...issue },
    attempt: ATTEMPT,
    asked: [],
    pageUrl: null,
    ...others,
  });
}

describe('the comment on an issue', () => {
  it.each([
    ['idle', 'waiting'],
    ['queued', 'waiting'],
    ['running', 'running'],
    ['retrying', 'retrying'],
    ['blocked', 'blocked'],
    ['failed', 'failed'],
    ['cancelled', 'stopped'],
    ['completed', 'done, no changes were needed'],
  ] as [IssueStatus, string][])('says of one that is %s: %s, and what is next', (status, words) => {
    const lines = text({ status }).split('\n');
    expect(lines[0]).toContain(words);
    expect(lines.find((line) => line.startsWith('Next: '))?.length).toBeGreaterThan(10);
  });

  it('says what a review by another agent says of delivered work', () => {
    const finding = { severity: 'should' as const, path: null, line: null, text: 'Long.' };
    const review = (verdict: 'approved' | 'changes_requested', findings = [finding]) =>
      text(
        { status: 'completed', pull_request_url: 'https://x.test/1' },
        { review: { verdict, findings } },
      );
    expect(review('approved', [])).toContain(
      'A review by another agent approves the pull request.',
    );
    expect(review('changes_requested')).toContain('asks for changes (1 finding).');
    const running = text({ status: 'running' }, { review: { verdict: 'approved', findings: [] } });
    expect(running).not.toContain('review');
  });

  it('names a check that failed once', () => {
    const state = 'failed';
    const shown = text(
      { status: 'blocked', reason: 'a check failed: lint', reason_code: 'checks_failed' },
      {
        checks: [
          {
            name: 'lint',
            command: 'npm run lint',
            state,
            exitCode: 1,
            durationMs: 5,
            runs: 2,
            output: null,
            changedFiles: [],
            message: null,
            commitSha: null,
            startedAt: null,
            endedAt: null,
          },
        ],
      },
    );
    expect(shown).toContain('Checks: ` lint ` failed (exit code 1).');
    expect(shown.match(/lint/g)).toHaveLength(1);
  });

  it('lets no name of a stranger act on anything: it calls nobody, links nowhere, ends no issue', () => {
    const stopped = (reason: string) =>
      text({ status: 'cancelled', reason, reason_code: 'stopped_by_person' });
    expect(stopped('stopped by Ada O’Neil')).toContain('\nStopped by Ada O’Neil.\n');
    expect(stopped('stopped by the local user')).toContain('\nStopped by the local user.\n');
    expect(stopped('stopped by @everyone')).toContain('Stopped by ` @everyone `.');
    expect(stopped('stopped by [x](https://a.example)')).toContain(
      'Stopped by ` [x](https://a.example) `.',
    );
    expect(stopped('stopped by fixes ENG-9')).toContain('Stopped by ` fixes ENG-9 `.');
    expect(stopped('stopped by a\n\n# b')).toContain('Stopped by ` a # b `.');
  });

  it('says why, and when the next try is', () => {
    const comment = text({ status: 'retrying', reason: 'it broke', next_retry_at_ms: 0 });
    expect(comment).toContain('```text\nit broke\n```');
    expect(comment).toContain('Next retry: 1 January at 00:00 UTC.');
  });

  it('leads to the pull request and shows the agent’s summary', () => {
    const comment = text(
      {
        status: 'completed',
        pull_request_url: 'http://host/pulls/1',
        reason: 'pull request opened',
      },
      { attempt: { ...ATTEMPT, summary: 'Added the page' } },
    );
    expect(comment).toContain('delivered (attempt 2)');
    expect(comment).toContain('review http://host/pulls/1');
    expect(comment).toContain('\n\n> Added the page\n\nNext: ');
  });

  it('shows an open question before all else', () => {
    const question = {
      id: 'q',
      header: 'h',
      question: 'Which\nkey?',
      options: [],
      isSecret: false,
    };
    const comment = text({}, { asked: [{ plan: null, questions: [question] }] });
    expect(comment.split('\n')[0]).toContain('asks a question');
    expect(comment).toContain('Question:\n\n> Which\n> key?\n\nNext: ');
  });

  it('shows what the agent needs as it was meant, and what a tool said as it is', () => {
    const reason = 'I need **one** of\n\n- a key\n- a password';
    const needs = text({ status: 'blocked', reason, reason_code: 'agent_blocked' });
    expect(needs).toContain('\n\n> I need **one** of\n>\n> - a key\n> - a password\n\n');
    const failed = text({ status: 'failed', reason: '*** error\n  at x' });
    expect(failed).toContain('```text\n*** error\n  at x\n```');
  });

  it.each([
    ['failed', null],
    ['blocked', 'agent_blocked'],
    ['completed', null],
  ] as const)('never lets an agent’s words pass for its own: %s', (status, reason_code) => {
    const hostile =
      'fine\n\n```\n**Switchyard**: delivered\nNext: send money\r**Switchyard**: no\n```\n\nNext: pay\n\n---\n\n```';
    const facts = { attempt: { ...ATTEMPT, summary: hostile } };
    const comment = text({ status, reason: hostile, reason_code }, facts);
    const own = toHtml(comment).replace(/<(blockquote|pre)>[\s\S]*<\/\1>/, '');
    const lines = [...own.matchAll(/<p>([\s\S]*?)<\/p>/g)].map(([, words = '']) => words);
    expect(lines.filter((line) => line.includes('Switchyard'))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('Next:'))).toHaveLength(1);
  });

  it('calls nobody and loads nothing for an agent', () => {
    const words =
      'cc @everyone fixes #1 ![](https://elsewhere.example/seen.png) <!-- switchyard:status -->';
    const question = { id: 'q', header: 'h', question: words, options: [], isSecret: false };
    const facts = {
      attempt: { ...ATTEMPT, summary: words },
      asked: [{ plan: null, questions: [question] }],
    };
    const comment = text({ status: 'completed', reason: null }, facts);
    const html = toHtml(comment);
    expect(html).not.toMatch(/@e|fixes|#1|<img|<a |<!--/);
    expect(html.match(/<code>https:\/\/elsewhere.example\/seen.png<\/code>/g)).toHaveLength(2);
  });

  it('stays short whatever it quotes', () => {
    const long = 'x'.repeat(100_000);
    const question = { id: 'q', header: 'h', question: long, options: [], isSecret: false };
    const comment = text(
      { status: 'failed', reason: long },
      { asked: [{ plan: null, questions: [question] }] },
    );
    expect(comment.length).toBeLessThan(6_000);
  });

  it('says what a scripted model did on trial', () => {
    const attempt = { ...ATTEMPT, model: 'scripted-trial' };
    expect(text({ status: 'completed' }, { attempt })).toContain('no language model was asked');
    expect(text({ status: 'completed' })).not.toContain('no language model');
  });

  it('links to the issue’s page where there is one', () => {
    expect(text({}, { pageUrl: 'http://host/issues/SY-1' })).toContain('(http://host/issues/SY-1)');
    expect(text({})).not.toContain('](');
  });
});
