import { describe, expect, it } from 'vitest';
import { readMarkdown, decodeEntities, safeLink } from './read-markdown.ts';

const ORIGIN = 'http://127.0.0.1:4000';

describe('links in written text', () => {
  it('lead to pages and mail, never to scripts or data', () => {
    expect(safeLink('https://example.org/a?b=1', ORIGIN)).toMatchObject({ own: false });
    expect(safeLink('mailto:team@example.org', ORIGIN)).toMatchObject({ own: false });
    const hostile = ['javascript:alert(1)', ' JaVaScRiPt:alert(1)', 'java\nscript:alert(1)'];
    for (const href of [...hostile, 'data:text/html,x', 'vbscript:x', 'blob:x', 'file:///etc']) {
      expect(safeLink(href, ORIGIN), href).toBeNull();
    }
  });

  it('stay on this service when they are relative', () => {
    const expected = { href: `${ORIGIN}/pull-requests/7`, own: true };
    expect(safeLink('/pull-requests/7', ORIGIN)).toEqual(expected);
    expect(safeLink('//elsewhere.example/x', ORIGIN)).toMatchObject({ own: false });
  });
});

describe('references to characters', () => {
  it('become the character once', () => {
    expect(decodeEntities('&lt;b&gt; &amp;amp; &#39;x&#x27; &unknown; &#0;')).toBe(
      "<b> &amp; 'x' &unknown; &#0;",
    );
  });
});

describe('reading Markdown', () => {
  it('finds structure and leaves terminal escapes out', () => {
    const { tokens } = readMarkdown('\u001b[31m**Done**\u001b[0m\n\n- one\n- two');
    expect(tokens?.map(({ type }) => type)).toEqual(['paragraph', 'space', 'list']);
    expect(tokens?.[0]?.raw).toContain('**Done**');
    expect(JSON.stringify(tokens)).not.toContain('\\u001b');
  });

  it('takes a very long or endlessly nested text as it is', () => {
    expect(readMarkdown('a'.repeat(300_000))).toMatchObject({ tokens: null, omitted: 100_000 });
    for (const mark of ['>', '[', '*', '`', '<', '![', '- ', '_a ', '&', '|']) {
      expect(readMarkdown(mark.repeat(9_000)).plain.length, mark).toBeGreaterThan(8_999);
    }
  });

  it('reads no text whose marks would hold the page up', () => {
    for (const mark of ['__a', 'a_', '*a*', ' ', '~~a']) {
      const text = `a${mark.repeat(Math.floor(19_000 / mark.length))}b`;
      expect(readMarkdown(text), mark).toMatchObject({ tokens: null, plain: text });
    }
    expect(readMarkdown('*one* '.repeat(500)).tokens).not.toBeNull();
  });
});
