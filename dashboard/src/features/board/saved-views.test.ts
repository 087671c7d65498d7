import { describe, expect, it } from 'vitest';
import { sameFilter, viewsFrom } from './saved-views.ts';

describe('saved views', () => {
  it('are read as far as they are some', () => {
    const stored = [
      { name: 'Mine', filter: { q: 'web', need: 'failed', x: 1 } },
      { name: '', filter: {} },
      { name: 7 },
      null,
      { name: 'All', filter: 'what' },
    ];
    expect(viewsFrom(stored)).toEqual([
      { name: 'Mine', filter: { q: 'web', need: 'failed' } },
      { name: 'All', filter: {} },
    ]);
    expect(viewsFrom({ name: 'Mine' })).toEqual([]);
  });

  it('show the same where an empty part stands for none', () => {
    expect(sameFilter({ q: '' }, {})).toBe(true);
    expect(sameFilter({ q: 'a' }, { q: 'a', need: 'failed' })).toBe(false);
  });
});
