import { describe, expect, it } from 'vitest';
import { DOC_PAGES, docPage, slugOf } from './doc-pages.ts';
import { findInDocs } from './find-in-docs.ts';

describe('the documentation in the page', () => {
  it('is found by words, with the place of the section', () => {
    const [first] = findInDocs('single keys');
    expect(first).toMatchObject({ link: '/docs/dashboard#keys' });
    expect(first?.detail).toContain('Single keys');
  });

  it('has nothing where a word is missing', () => {
    expect(findInDocs('keys zzzzqqq')).toEqual([]);
    expect(findInDocs(' ')).toEqual([]);
  });

  it('leads from page to page and shows no pictures', () => {
    const { sections } = docPage(
      'a',
      '# A\n\n![x](images/x.webp)\n\nSee [b](b.md#c-d), [e](#e).\n',
    );
    expect(sections).toEqual([
      { heading: 'A', slug: 'a', text: 'See [b](/docs/b#c-d), [e](/docs/a#e).' },
    ]);
  });

  it('has every page and section that its links name', () => {
    const texts = DOC_PAGES.flatMap(({ sections }) => sections.map(({ text }) => text)).join('\n');
    const links = [...texts.matchAll(/\]\((?!https?:)([^)\s]*)\)/g)].map(([, link = '']) => link);
    const there = DOC_PAGES.flatMap(({ name, sections }) => [
      `/docs/${name}`,
      ...sections.map(({ slug }) => `/docs/${name}#${slug}`),
    ]);
    expect(links.length).toBeGreaterThan(50);
    expect(links.filter((link) => !there.includes(link))).toEqual([]);
    const names = DOC_PAGES.map(({ name }) => name);
    expect(names).toContain('systemd');
    expect(names).toEqual([...new Set(names)]);
  });

  it('names the place of a heading as its links do', () => {
    expect(slugOf('Behind a proxy: `npm run open`')).toBe('behind-a-proxy-npm-run-open');
  });
});
