import { ReviewState } from '@switchyard/shared/api/pull-requests/review';
import type { ReviewFinding } from '@switchyard/shared/review/review-result';
import { describe, expect, it } from 'vitest';
import {
  askedByText,
  orderedFindings,
  placeOf,
  reviewDisplay,
  reviewReason,
} from './review-display.ts';

const finding = (part: Partial<ReviewFinding>): ReviewFinding => ({
  severity: 'should',
  path: null,
  line: null,
  text: 'x',
  ...part,
});

describe('a review by another agent', () => {
  it('has a shape of its own for each state and verdict', () => {
    const displays = [
      ...ReviewState.options.map((state) => reviewDisplay({ state, verdict: null })),
      reviewDisplay({ state: 'done', verdict: 'approved' }),
      reviewDisplay({ state: 'done', verdict: 'changes_requested' }),
    ];
    expect(new Set(displays.map(({ icon }) => icon)).size).toBe(displays.length);
    expect(new Set(displays.map(({ label }) => label)).size).toBe(displays.length);
  });

  it('says why it has no verdict, and nothing else', () => {
    const reason = 'no engine is called nobody';
    expect(reviewReason({ state: 'failed', reason })).toBe('No engine is called nobody');
    expect(reviewReason({ state: 'waiting', reason })).not.toBeNull();
    expect(reviewReason({ state: 'done', reason })).toBeNull();
    expect(reviewReason({ state: 'running', reason })).toBeNull();
  });

  it('has what must be changed first, otherwise in the order of the agent', () => {
    const findings = [
      finding({ text: 'a' }),
      finding({ text: 'b', severity: 'must' }),
      finding({ text: 'c' }),
    ];
    expect(orderedFindings(findings).map(({ text }) => text)).toEqual(['b', 'a', 'c']);
  });

  it('has the place of a finding as far as it is known, with what nobody sees written out', () => {
    expect(placeOf({ path: 'src/a.ts', line: 3 })).toBe('src/a.ts:3');
    expect(placeOf({ path: 'a\u202eb', line: null })).toBe('a[U+202E]b');
    expect(placeOf({ path: null, line: null })).toBeNull();
  });

  it('names who asked for it, and the policy where nobody did', () => {
    expect(askedByText('ada', 'ada')).toBe('Asked for by you');
    expect(askedByText('ada', 'local')).toBe('Asked for by ada');
    expect(askedByText('service', 'local')).toContain('review policy');
  });
});
