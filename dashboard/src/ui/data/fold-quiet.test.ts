import { describe, expect, it } from 'vitest';
import { countText, foldQuiet } from './fold-quiet.ts';

const fold = (...lines: string[]) =>
  foldQuiet(lines, {
    thingOf: (line) => line.split(' ')[0] || null,
    isQuiet: (line) => line.endsWith('saved') || line.endsWith('started'),
  }).map(({ first, rest }) => [first, rest.length]);

describe('folding what is quiet', () => {
  it('puts it behind the next newer of the same thing, also past others', () => {
    expect(fold('A done', 'B saved', 'A saved', 'B saved', 'A saved', 'A started')).toEqual([
      ['A done', 3],
      ['B saved', 1],
    ]);
  });

  it('never hides what is loud, nor what belongs to nothing', () => {
    expect(fold('A saved', 'A failed', 'A saved', 'A asks')).toEqual([
      ['A saved', 0],
      ['A failed', 1],
      ['A asks', 0],
    ]);
    expect(fold(' saved', ' saved')).toHaveLength(2);
  });

  it('says what stands there with how often', () => {
    expect(countText(['saved', 'saved', 'started'])).toBe('saved 2 times, started');
  });
});
