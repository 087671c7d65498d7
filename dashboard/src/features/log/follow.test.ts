import { describe, expect, it } from 'vitest';
import { follow, type FollowChange, startFollowing } from './follow.ts';

const after = (...changes: FollowChange[]) => changes.reduce(follow, startFollowing);

describe('following a growing log', () => {
  it('stays at the end until the reader scrolls away', () => {
    expect(after({ type: 'grew', total: 10 }, { type: 'grew', total: 20 })).toMatchObject({
      following: true,
      unseen: 0,
    });
  });

  it('counts what came since the reader left', () => {
    const state = after(
      { type: 'grew', total: 10 },
      { type: 'scrolled', atEnd: false },
      { type: 'grew', total: 13 },
      { type: 'grew', total: 14 },
    );
    expect(state).toMatchObject({ following: false, unseen: 4 });
  });

  it('keeps the count while the reader scrolls on', () => {
    const state = after(
      { type: 'scrolled', atEnd: false },
      { type: 'grew', total: 2 },
      { type: 'scrolled', atEnd: false },
    );
    expect(state.unseen).toBe(2);
  });

  it('follows again from the end or by the jump', () => {
    const away = [
      { type: 'scrolled', atEnd: false },
      { type: 'grew', total: 5 },
    ] as const;
    expect(after(...away, { type: 'scrolled', atEnd: true })).toMatchObject({
      following: true,
      unseen: 0,
    });
    expect(after(...away, { type: 'jumped' })).toMatchObject({ following: true, unseen: 0 });
  });

  it('does not count rows that folding took away', () => {
    expect(
      after(
        { type: 'grew', total: 10 },
        { type: 'scrolled', atEnd: false },
        { type: 'grew', total: 4 },
      ).unseen,
    ).toBe(0);
  });
});
