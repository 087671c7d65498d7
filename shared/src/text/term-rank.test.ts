import { describe, expect, it } from 'vitest';
import { excerptAround, searchTerms, termRank } from './term-rank.ts';

const sorted = (query: string, ...titles: string[]) =>
  titles.toSorted((a, b) => termRank(searchTerms(query), b) - termRank(searchTerms(query), a));

describe('the rank of what was found', () => {
  it('puts the same title first, then whole words, then beginnings, then parts', () => {
    expect(sorted('log', 'Catalogue', 'Logging', 'The log is long', 'Log')).toEqual([
      'Log',
      'The log is long',
      'Logging',
      'Catalogue',
    ]);
  });

  it('wants every word, wherever it stands', () => {
    const words = searchTerms('Login  fails');
    expect(termRank(words, 'Login', 'it fails at night')).toBeGreaterThan(0);
    expect(termRank(words, 'Login', 'it works')).toBe(0);
  });

  it('puts a word of a title before one of a text', () => {
    const words = searchTerms('cache');
    expect(termRank(words, 'Cached')).toBeGreaterThan(termRank(words, 'Memory', 'the cache'));
  });

  it('knows letters of every language', () => {
    const words = searchTerms('übung');
    expect(termRank(words, 'Die Übung')).toBe(40);
    expect(termRank(words, 'Vorübung')).toBe(8);
  });
});

describe('an excerpt', () => {
  it('shows the word with what is around it', () => {
    const text = `${'before '.repeat(40)}needle${' after'.repeat(40)}`;
    const shown = excerptAround(['needle'], text, 80);
    expect(shown).toMatch(/^….*needle.*…$/);
    expect(shown.length).toBeLessThanOrEqual(80);
  });

  it('is the whole of a short text, on one line', () => {
    expect(excerptAround(['b'], ' a\n  b ', 80)).toBe('a b');
  });
});
