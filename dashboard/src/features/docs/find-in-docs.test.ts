import { describe, expect, it } from 'vitest';
import { docPage, slugOf } from './doc-pages.ts';
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

  it('names the place of a heading as its links do', () => {
    expect(slugOf('Behind a proxy: `npm run open`')).toBe('behind-a-proxy-npm-run-open');
  });
});
