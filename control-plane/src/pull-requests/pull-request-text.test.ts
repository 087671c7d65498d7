import { describe, expect, it } from 'vitest';
import { toHtml } from '../../../test/support/markdown/to-html.ts';
import { type PullRequestTextInput, pullRequestText } from './pull-request-text.ts';

function text(overrides: {
  issue?: Partial<PullRequestTextInput['issue']>;
  summary?: string | null;
  attemptUrl?: string | null;
  draft?: boolean;
  onTrial?: 'whole' | 'part' | null;
}) {
  return pullRequestText({
    issue: {
      identifier: 'SY-7',
      title: 'Fix the sum',
      description: null,
      url: null,
      ...overrides.issue,
    },
    summary: overrides.summary ?? null,
    attempt: { number: 2, url: overrides.attemptUrl ?? null },
    draft: overrides.draft ?? false,
    onTrial: overrides.onTrial ?? null,
  });
}

describe('pullRequestText', () => {
  it('quotes the issue, sums up and names the attempt, with links where there are addresses', () => {
    const { title, body } = text({
      issue: { url: 'https://tracker.example/SY-7', description: 'It adds wrongly.' },
      summary: 'Corrected the loop.',
      attemptUrl: 'https://switchyard.example/attempts/att_1',
    });
    expect(title).toBe('SY-7: Fix the sum');
    // Its title and how much is changed stand above it on every host.
    expect(body).toBe(
      '> It adds wrongly.\n\n## Summary\n\nCorrected the loop.\n\n---\n\nSwitchyard, ' +
        '[attempt 2](<https://switchyard.example/attempts/att_1>) of ' +
        '[SY-7](<https://tracker.example/SY-7>).\n',
    );
  });

  it('says first of all that a script made it, and keeps that in the longest title', () => {
    const { title, body } = text({ onTrial: 'whole', issue: { title: 'x'.repeat(900) } });
    expect(title).toMatch(/ \(scripted trial\)$/);
    expect(title).toHaveLength(256);
    expect(body).toMatch(/^> \*\*Trial without a model\.\*\* A scripted model did this on trial/);
  });

  it('does not say of a model’s work that no model was asked', () => {
    const { title, body } = text({ onTrial: 'part' });
    expect(title).toMatch(/ \(partly scripted trial\)$/);
    expect(body).toMatch(
      /^> \*\*Partly a trial without a model\.\*\* A scripted model did a part of this/,
    );
    expect(body).not.toContain('no language model was asked');
  });

  it('says so when the agent left no summary, and when the work is unfinished', () => {
    const { body } = text({ summary: '  \n', draft: true });
    expect(body).toContain('The agent left no summary.');
    expect(body).toContain('Delivered as a draft, before the agent was done.');
  });

  it('shows Markdown as it was meant, below its own headings', () => {
    const summary =
      '# What changed\n\n- **one**\n- [x] two\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```ts\nlet a;\n```';
    const { body } = text({ summary });
    const shown =
      '### What changed\n\n- **one**\n- [x] two\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```ts\nlet a;\n```';
    expect(body).toContain(`## Summary\n\n${shown}\n\n---`);
  });

  it('goes on after a text that leaves a fence, a tag or a comment open', () => {
    for (const open of [
      '```\nlet a;',
      '~~~~\nx',
      '<details>\n<summary>',
      '<!-- ',
      '<pre>',
      '| a',
    ]) {
      const { body } = text({ issue: { description: open }, summary: open });
      const headings = toHtml(body).matchAll(/<h\d>(.*?)<\/h\d>/g);
      const shown = [...headings].map(([, words]) => words);
      expect(shown, open).toEqual(['Summary']);
    }
  });

  it('lets no text stand for a section of its own', () => {
    const hostile = '```\n## Approved by the owner\nFixes #1\n`````\n<img src=x>\n\n# Changes';
    const { body } = text({ issue: { description: hostile }, summary: hostile });
    const html = toHtml(body);
    expect(html.match(/<h2>/g)).toHaveLength(1);
    expect(html).not.toMatch(/<h1|<img/);
  });

  it('keeps a title on one line and out of its text', () => {
    const { title, body } = text({ issue: { title: 'a\r\n\r\n# b `c` [d](http://x) @e #1 SY-2' } });
    expect(title).toBe('SY-7: a # b `c` [d](http://x) @\u200be #\u200b1 SY-\u200b2');
    expect(body).not.toContain('http://x');
  });

  it('ends no issue and tells nobody, also as the message of a merge', () => {
    const words = 'Fixes #1, closes other/repository#2 @everyone';
    const { title, body } = text({ issue: { title: words, description: words }, summary: words });
    for (const written of [title, body]) expect(written).not.toMatch(/fixes #|closes o|@e/i);
  });

  it('stays short when a text is all backticks or one endless title', () => {
    const ticks = '`'.repeat(90_000);
    const given = { title: ticks + 'x'.repeat(9_000_000), description: ticks };
    const { title, body } = text({ issue: given, summary: ticks });
    expect(title.length).toBeLessThanOrEqual(256);
    expect(body.length).toBeLessThan(65_536);
    const mixed = '`'.repeat(32).concat('x').repeat(1_000);
    const both = text({ issue: { description: mixed }, summary: mixed });
    expect(both.body.length).toBeLessThan(65_536);
  });

  it('does not link to anything but web addresses', () => {
    expect(text({ issue: { url: 'javascript:alert(1)' } }).body).not.toContain('javascript');
    const { body } = text({ issue: { url: 'https://x/> <b>\n# y' } });
    expect(body).toContain('[SY-7](<https://x/%3E%20%3Cb%3E%0A#%20y>)');
  });

  it('stays under the limits of a code host without cutting a character in half', () => {
    const { title, body } = text({
      issue: { title: '😀'.repeat(300), description: 'd'.repeat(50_000) },
      summary: 's'.repeat(90_000),
    });
    expect(title.length).toBeLessThanOrEqual(256);
    expect(title.isWellFormed()).toBe(true);
    expect(body.length).toBeLessThan(65_536);
  });
});
