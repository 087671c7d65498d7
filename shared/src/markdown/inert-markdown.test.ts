import { describe, expect, it } from 'vitest';
import { inertLine, inertMarkdown, inertQuote } from './inert-markdown.ts';

const BREAK = '\u200b';

function shown(text: string, maxChars = 20_000): string {
  return inertMarkdown(text, { maxChars }).replaceAll(BREAK, '');
}

describe('Markdown of strangers', () => {
  it.each([
    '- one\n- two\n  - three',
    '1. one\n2. two',
    '- [ ] to do\n- [x] done',
    '| a | b |\n| :- | -: |\n| **1** | `2` |',
    '```ts\nlet a = 1;\n```',
    'some **strong** and *soft* words, ~~gone~~, `code`',
    '> quoted\n> twice',
    'a line\nand another',
  ])('is shown as it was meant: %j', (text) => expect(shown(text)).toBe(text));

  it.each([
    ['# One\n\n## Two', '### One\n\n#### Two'],
    ['One\n===\n\nTwo\n---', '### One\n\n#### Two'],
    ['##### One\n\n###### Two', '### One\n\n#### Two'],
    ['> # One', '> ### One'],
  ])('has its headings below those around it: %j', (text, below) =>
    expect(shown(text)).toBe(below),
  );

  it.each([
    ['[docs](https://a.example/x)', 'docs (`https://a.example/x`)'],
    ['[docs](docs/a.md "title")', 'docs (`docs/a.md`)'],
    ['<https://a.example>', '`https://a.example`'],
    ['https://a.example/x.', '`https://a.example/x`.'],
    ['www.a.example', '`http://www.a.example`'],
    ['ada@a.example', '`ada@a.example`'],
    ['[run](javascript:alert(1)) [see](data:text/html,x)', 'run see'],
    ['![chart](https://a.example/a.png)', 'chart (`https://a.example/a.png`)'],
    [
      '![chart][c] [b][c] [c]\n\n[c]: https://a.example',
      'chart (`https://a.example`) b (`https://a.example`) c (`https://a.example`)',
    ],
    [
      '[![badge](https://a.example/b.svg)](https://a.example)',
      'badge (`https://a.example/b.svg`) (`https://a.example`)',
    ],
    ['a[^1]\n\n[^1]: the note', 'a\\[1]\n\n\\[1]\n\nthe note'],
    ['<img src="https://a.example/a.png">', '```html\n<img src="https://a.example/a.png">\n```'],
    ['see <img src=x onerror=y> here', 'see `<img src=x onerror=y>` here'],
    ['<details>\n<summary>Log</summary>\n\nwords\n\n</details>', 'Log\n\nwords'],
    ['a<br>b', 'a b'],
    ['<!-- for agents -->', '\\<!-- for agents -->'],
    ['commit 7bf48059 of o/r@7bf48059', 'commit `7bf48059` of `o/r@7bf48059`'],
    ['```mermaid\ngraph TD\n```', '```text\ngraph TD\n```'],
    ['> [!WARNING]\n> words', '> \\[!WARNING]\n> words'],
    ['[//]: # (hidden)', ''],
  ])('has nothing to follow, load or draw: %j', (text, inert) => expect(shown(text)).toBe(inert));

  it.each(['@ada', '@acme/team', '#1', 'GH-1', 'o/r#1', 'SY-1', 'fixes #1', '/merge', '[skip ci]'])(
    'has no word that acts: %j',
    (text) => {
      const inert = inertMarkdown(`a\n\n${text}`, { maxChars: 1_000 });
      expect(inert).not.toContain(text);
      expect(inert.replaceAll(BREAK, '').replaceAll('\\', '')).toBe(`a\n\n${text}`);
    },
  );

  it('has nothing hidden in the names of standards', () => {
    const text = 'UTF-8 and ISO-8859-1, then SHA-256 of the file';
    expect(inertMarkdown(text, { maxChars: 1_000 })).toBe(text);
    expect(inertLine(text, 100)).toBe(text);
  });

  it.each([
    '@*ada*',
    '@<b></b>ada',
    '&#64;ada',
    '\\@ada',
    '@\u200bada',
    '#<i>1</i>',
    '&#35;1',
    '\u202e@ada',
    '@\u00adada',
  ])('finds a name that is hidden: %j', (text) => {
    const inert = inertMarkdown(text, { maxChars: 1_000 });
    expect(inert).not.toMatch(/@(?:\\?)[a]|#1|[\u00ad\u202e]/);
  });

  it('breaks words in code too, unless code is to be copied', () => {
    const text = '```java\n@Override // fixes #1\n/merge\n```';
    const inert = inertMarkdown(text, { maxChars: 1_000 });
    expect(inert).toBe(`\`\`\`java\n@${BREAK}Override // f${BREAK}ixes #1\n/${BREAK}merge\n\`\`\``);
    const kept = inertMarkdown(text, { maxChars: 1_000, code: 'kept' });
    expect(kept).toBe(`\`\`\`java\n@Override // fixes #1\n/${BREAK}merge\n\`\`\``);
  });

  it('keeps a suggestion as it is, which becomes code when it is applied', () => {
    const text = '```suggestion\n/node_modules\n/dist\n```';
    expect(inertMarkdown(text, { maxChars: 1_000, code: 'kept' })).toBe(text);
    expect(inertMarkdown(text, { maxChars: 1_000 })).not.toBe(text);
  });

  it.each(['/lgtm!', '/label:x', '\u2003/merge', '.deploy', '!merge', 'bors r+', 'atlantis apply'])(
    'commands no bot: %j',
    (text) => {
      const inert = inertMarkdown(text, { maxChars: 1_000, code: 'kept' });
      expect(inert).toContain(BREAK);
      expect(inert.replaceAll(BREAK, '')).toBe(text);
    },
  );

  it.each(['.env.test', '/usr/bin/node', '!important/x', 'atlantis'])('leaves alone: %j', (text) =>
    expect(inertMarkdown(text, { maxChars: 1_000 })).toBe(text),
  );

  it('keeps emoji and letters that are joined', () => {
    expect(shown('👩‍💻 می‌خواهم ❤️')).toBe('👩‍💻 می‌خواهم ❤️');
    expect(shown('a\u200db\ufeff')).toBe('ab');
  });

  it.each([
    ['```ts\nlet a;', '```ts\nlet a;\n```'],
    ['> ~~~\n> a', '> ```text\n> a\n> ```'],
    ['- ```\n  a', '- ```text\n  a\n  ```'],
  ])('ends what it leaves open: %j', (text, closed) => expect(shown(text)).toBe(closed));

  it.each([
    ['paragraphs', 'some words\n\n'.repeat(100), /^some words[\s\S]*words\n\n…$/],
    ['a fence', `\`\`\`ts\n${'let a = 1;\n'.repeat(100)}\`\`\``, /^```ts\n[\s\S]*…\n```\n\n…$/],
    [
      'a table',
      `| a | b |\n| - | - |\n${'| 1 | 2 |\n'.repeat(100)}`,
      /^\| a[\s\S]*\| 1 \| 2 \|\n\n…$/,
    ],
    ['a list', '- one item\n'.repeat(100), /^- one item\n[\s\S]*item\n\n…$/],
    ['a quotation', '> some words\n>\n'.repeat(100), /^> some words\n[\s\S]*\n\n…$/],
    [
      'a link',
      `${'word '.repeat(75)}[label](https://a.example/${'x'.repeat(300)})`,
      /^word [\s\S]*…$/,
    ],
    ['marks', '*a*_ '.repeat(200), /…/],
  ])('is cut between parts that still read: %s', (_name, text, expected) => {
    const cut = shown(text, 400);
    expect(cut).toMatch(expected);
    expect(inertMarkdown(text, { maxChars: 400 }).length).toBeLessThanOrEqual(400);
  });

  it('stands in a fence where it is nothing that people write', () => {
    const deep = [
      '>'.repeat(10_000),
      '- '.repeat(10_000),
      `${'> - '.repeat(2_500)}a`,
      '*a '.repeat(9_000),
      // These take a reader time that grows with the square of their number.
      'a*'.repeat(3_000),
      '> a\n\n'.repeat(2_000),
      '- a\n'.repeat(2_000),
      '[^a]: x\n'.repeat(2_000),
    ];
    for (const text of deep) {
      const inert = inertMarkdown(text, { maxChars: 20_000 });
      expect(inert).toMatch(/^`{3,}text\n[\s\S]*\n`{3,}$/);
    }
  });

  it('shows what is nested too deeply as it was written', () => {
    const lines = Array.from({ length: 30 }, (_, depth) => `${'  '.repeat(depth)}- item ${depth}`);
    const inert = shown(lines.join('\n'));
    expect(inert).toContain('- item 3\n');
    expect(inert).toContain('```text');
    expect(inert).toContain('item 29');
  });

  it.each(['a', '`', '>', '[', '- a\n', 'a@b.c ', '| a ', '<a ', '\n', '@a ', '\u200b', '> a\n\n'])(
    'takes a megabyte of %j',
    { timeout: 120_000 },
    (part) => {
      const text = part.repeat(Math.ceil(1_000_000 / part.length));
      expect(inertMarkdown(text, { maxChars: 4_000 }).length).toBeLessThanOrEqual(4_000);
    },
  );

  it('is a quotation that it cannot leave', () => {
    const quote = inertQuote('a\n\n```\nopen', { maxChars: 1_000 });
    expect(quote).toBe('> a\n>\n> ```text\n> open\n> ```');
    expect(inertQuote('[//]: # (x)', { maxChars: 1_000 })).toBe('');
  });
});

describe('a line of plain words as Markdown', () => {
  it('shows its marks', () => {
    expect(inertLine('a *b* `c` [d](x) # e', 200)).toBe('a \\*b\\* \\`c\\` \\[d]\\(x) # e');
    expect(inertLine('# a\n- b', 200)).toBe('\\# a - b');
    expect(inertLine('', 200)).toBe('');
  });
});
