import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type { ReviewMode, ReviewPolicy } from '@switchyard/shared/review/review-policy';
import { DEFAULT_REVIEW_ROUNDS, MAX_REVIEW_ROUNDS } from '@switchyard/shared/review/review-rounds';
import { ApiError } from '../../../api/api.ts';
import { plural } from '../../../format/format-count.ts';

/** A route's review policy in the form. */
export type ReviewDraft = {
  mode: ReviewMode;
  /** Name of an engine choice; empty: that of the issue. */
  engine: string;
  /** The limit of rounds as typed; empty: the usual one. */
  maxRounds: string;
  instructions: string;
};

export function reviewDraft({ review }: Pick<RepoRoute, 'review'>): ReviewDraft {
  return {
    mode: review?.mode ?? 'off',
    engine: review?.engine ?? '',
    maxRounds: String(review?.max_rounds ?? ''),
    instructions: review?.instructions ?? '',
  };
}

/**
 * The route with the review policy of the form; everything else is kept. Without reviews, the form
 * has no further fields, and those of the route are kept for when reviews are turned on again.
 */
export function withReview(route: RepoRoute, draft: ReviewDraft): RepoRoute {
  if (JSON.stringify(draft) === JSON.stringify(reviewDraft(route))) return route;
  const { review: before, ...others } = route;
  if (draft.mode === 'off') {
    const { mode: _mode, ...further } = before ?? { mode: 'off' };
    return Object.keys(further).length === 0
      ? others
      : { ...others, review: { ...further, mode: 'off' } };
  }
  const [engine, rounds] = [draft.engine.trim(), draft.maxRounds.trim()];
  const review: ReviewPolicy = { mode: draft.mode };
  if (engine !== '') review.engine = engine;
  if (rounds !== '') review.max_rounds = Number(rounds);
  if (draft.instructions.trim() !== '') review.instructions = draft.instructions;
  return { ...others, review };
}

/** Why fields were refused; `rest` belongs to no field. */
export type RefusedReview = { fields: Partial<Record<keyof ReviewDraft, string>>; rest: unknown };

const FIELDS: Record<string, keyof ReviewDraft> = {
  review: 'mode',
  'review.mode': 'mode',
  'review.engine': 'engine',
  'review.max_rounds': 'maxRounds',
  'review.instructions': 'instructions',
};

/** Assigns an error of a route to the fields of its review policy. */
export function refusedReview(error: unknown): RefusedReview {
  if (!(error instanceof ApiError)) return { fields: {}, rest: error };
  const fields: RefusedReview['fields'] = {};
  let isAll = error.details.length > 0;
  for (const { path, message } of error.details) {
    const field = Object.hasOwn(FIELDS, path) ? FIELDS[path] : undefined;
    if (field === undefined) isAll = false;
    else
      fields[field] ??=
        field === 'maxRounds' ? `A whole number from 0 to ${MAX_REVIEW_ROUNDS}.` : message;
  }
  return { fields, rest: isAll ? null : error };
}

/** The policy beside a repository's address; null where no agent reviews. */
export function reviewText({ review }: Pick<RepoRoute, 'review'>): string | null {
  if (review === undefined || review.mode === 'off') return null;
  const rounds = review.max_rounds ?? DEFAULT_REVIEW_ROUNDS;
  return [
    `Review by another agent: ${review.mode === 'require' ? 'required' : 'as advice'}`,
    ...(review.engine === undefined ? [] : [`by ${review.engine}`]),
    rounds === 0 ? 'findings are not sent back' : `sent back at most ${plural(rounds, 'time')}`,
  ].join(', ');
}
