import { describe, expect, it } from 'vitest';
import { excerptAround, searchWords, wordRank } from './word-rank.ts';

const sorted = (query: string, ...titles: string[]) =>
  titles.toSorted((a, b) => wordRank(searchWords(query), b) - wordRank(searchWords(query), a));

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
    const words = searchWords('Login  fails');
    expect(wordRank(words, 'Login', 'it fails at night')).toBeGreaterThan(0);
    expect(wordRank(words, 'Login', 'it works')).toBe(0);
  });

  it('puts a word of a title before one of a text', () => {
    const words = searchWords('cache');
    expect(wordRank(words, 'Cached')).toBeGreaterThan(wordRank(words, 'Memory', 'the cache'));
  });

  it('knows letters of every language', () => {
    const words = searchWords('übung');
    expect(wordRank(words, 'Die Übung')).toBe(40);
    expect(wordRank(words, 'Vorübung')).toBe(8);
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
