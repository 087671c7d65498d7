import { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../api/api.ts';
import {
  type ReviewDraft,
  refusedReview,
  reviewDraft,
  reviewText,
  withReview,
} from './review-draft.ts';

const ROUTE: RepoRoute = {
  prefix: 'SY-',
  url: 'file:///a.git',
  scope: ['src/**'],
  merge: { mode: 'ask' },
};
const FULL: RepoRoute = {
  ...ROUTE,
  review: { mode: 'require', engine: 'critic', max_rounds: 0, instructions: 'Look\n at it. ' },
};

/** What the contract says of a draft, as the service says it. */
function refusedBy(draft: Partial<ReviewDraft>) {
  const changed = withReview(ROUTE, { ...reviewDraft(FULL), ...draft });
  const issues = RepoRoute.safeParse(changed).error?.issues ?? [];
  return refused(issues.map(({ path, message }) => ({ path: path.join('.'), message })));
}

function refused(details: { path: string; message: string }[]) {
  const body = { error: 'no', code: 'bad_request' as const, reason: 'invalid_input', details };
  return refusedReview(new ApiError(400, 'no', { body: body as never }));
}

describe('the form of the review policy', () => {
  it.each<RepoRoute>([
    ROUTE,
    FULL,
    { ...ROUTE, review: { mode: 'off' } },
    { ...ROUTE, review: { mode: 'off', engine: 'critic' } },
    { ...ROUTE, review: { mode: 'advise', max_rounds: 3 } },
  ])('gives back what nobody changed', (route) =>
    expect(withReview(route, reviewDraft(route))).toEqual(route),
  );

  it('keeps every other field of the route, and leaves out what is empty', () => {
    const draft = {
      mode: 'advise',
      engine: ' critic ',
      maxRounds: ' 3 ',
      instructions: ' ',
    } as const;
    expect(withReview(ROUTE, draft)).toEqual({
      ...ROUTE,
      review: { mode: 'advise', engine: 'critic', max_rounds: 3 },
    });
    expect(withReview(FULL, { ...draft, engine: '', maxRounds: '' }).review).toEqual({
      mode: 'advise',
    });
  });

  it('keeps the further settings while there are no reviews', () => {
    expect(withReview(FULL, { ...reviewDraft(FULL), mode: 'off' }).review).toEqual({
      ...FULL.review,
      mode: 'off',
    });
    const hidden = { mode: 'off', engine: 'typed', maxRounds: '99', instructions: '' } as const;
    expect(withReview(FULL, hidden).review).toEqual({ ...FULL.review, mode: 'off' });
    expect(withReview(ROUTE, hidden)).toEqual(ROUTE);
    expect(withReview({ ...ROUTE, review: { mode: 'advise' } }, hidden)).toEqual(ROUTE);
  });

  it('says beside the field what the service refuses', () => {
    for (const maxRounds of ['11', '1.5'])
      expect(refusedBy({ maxRounds })).toEqual({
        fields: { maxRounds: 'A whole number from 0 to 10.' },
        rest: null,
      });
    expect(refusedBy({ maxRounds: '10' }).fields).toEqual({});
    expect(refusedBy({ engine: 'x'.repeat(101) }).fields).toHaveProperty('engine');
    expect(refused([{ path: 'review', message: 'only file://' }]).fields).toEqual({
      mode: 'only file://',
    });
  });

  it('leaves the rest to the form', () => {
    expect(refused([{ path: 'url', message: 'no such repository' }])).toMatchObject({
      fields: {},
      rest: { status: 400 },
    });
  });

  it('has a line for each policy but the one without reviews', () => {
    expect(reviewText(ROUTE)).toBeNull();
    expect(reviewText({ review: { mode: 'off', engine: 'critic' } })).toBeNull();
    expect(reviewText({ review: { mode: 'advise' } })).toBe(
      'Review by another agent: as advice, sent back at most 2 times',
    );
    expect(reviewText(FULL)).toBe(
      'Review by another agent: required, by critic, findings are not sent back',
    );
  });
});
