import { describe, expect, it } from 'vitest';
import { issueFingerprint } from './issue-fingerprint.ts';

const ISSUE = {
  state: 'Todo',
  labels: ['b', 'a'],
  title: 'Title',
  description: null,
  priority: null,
};

describe('what a person can change on an issue', () => {
  it('is the same whatever the order of labels or the case of the state', () => {
    const other = { ...ISSUE, state: ' todo ', labels: ['a', 'b'], description: '', priority: 0 };
    expect(issueFingerprint(other)).toBe(issueFingerprint(ISSUE));
  });

  it.each([
    { state: 'Done' },
    { labels: ['a'] },
    { labels: ['a', 'b', 'c'] },
    { labels: ['a,b'] },
    { title: 'title' },
    { description: 'words' },
    { priority: 1 },
  ])('differs with %o', (change) => {
    expect(issueFingerprint({ ...ISSUE, ...change })).not.toBe(issueFingerprint(ISSUE));
  });
});
