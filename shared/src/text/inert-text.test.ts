import { describe, expect, it } from 'vitest';
import { inertMarkdown, inertText } from './inert-text.ts';

const BREAK = '\u200b';

describe('text that acts on nothing', () => {
  it.each(['@everyone', 'cc @org/team', '(@ada)', '\n@ada', '*@ada*', '@types/node'])(
    'tells nobody: %j',
    (text) => expect(inertText(text)).not.toMatch(/@[\w]/),
  );

  it.each([
    'fixes #1',
    'Closes: #12',
    'RESOLVED other/repository#3',
    'fix GH-4',
    'close https://github.com/o/r/issues/5',
    'closes\t#6',
    'closes\n#6',
    'fixes : #7',
    'resolves issue #8',
    'Completes ENG-9',
    'fixing #10',
    'a(fixes #11)',
  ])('ends no issue: %j', (text) => {
    const inert = inertText(text);
    expect(inert).not.toBe(text);
    expect(inert).not.toMatch(/(clos|fix|resolv|complet)\w*(?=\s*:?\s*\S*(#|-|\/)\d?)/i);
    expect(inert.replaceAll(BREAK, '')).toBe(text);
  });

  it.each(['Fix the sum', 'mail to ada@example.org', 'a fixed width', '#1', 'see o/r#2', 'x @ y'])(
    'leaves alone what does nothing: %j',
    (text) => expect(inertText(text)).toBe(text),
  );

  it('takes a long text in one pass', () => {
    const texts = ['fix ', 'fix', 'fix:', '@', 'fix a/', 'closes\n', 'fix issue '].map((part) =>
      part.repeat(50_000),
    );
    for (const text of [...texts, `fix${' '.repeat(200_000)}x`, `fix ${'a'.repeat(200_000)}`]) {
      expect(inertText(text).length).toBeGreaterThanOrEqual(text.length);
    }
  });
});

describe('Markdown that acts on nothing', () => {
  it('leaves code as it is', () => {
    const code = '```suggestion\n@Override\n```';
    expect(inertMarkdown(`@ada: \`@types/node\` fixes #1\n${code}\n@ada`)).toBe(
      `@\u200bada: \`@types/node\` f\u200bixes #1\n${code}\n@\u200bada`,
    );
    expect(inertMarkdown('~~~\n@a\n')).toBe('~~~\n@a\n');
    expect(inertMarkdown('`` @ada')).toBe('`` @\u200bada');
  });

  it('takes a long text', () => {
    for (const part of ['`', '```\n', '`a', '~~~\n`', '@', '` `']) {
      expect(inertMarkdown(part.repeat(5_000)).length).toBeGreaterThan(4_999);
    }
  });
});
