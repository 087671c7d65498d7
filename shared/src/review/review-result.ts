import { z } from 'zod';
import { namedObject } from '../named-object.ts';

export const ReviewVerdict = z
  .enum(['approved', 'changes_requested'])
  .meta({ id: 'ReviewVerdict' });
export type ReviewVerdict = z.infer<typeof ReviewVerdict>;

/** `must`: the pull request is not to be merged with it. `should`: it could be better. */
export const FindingSeverity = z.enum(['must', 'should']).meta({ id: 'FindingSeverity' });
export type FindingSeverity = z.infer<typeof FindingSeverity>;

/** What a review found at a place of the change. Its texts are an agent's: untrusted. */
export const ReviewFinding = namedObject('ReviewFinding', {
  severity: FindingSeverity,
  /** Path in the repository; null: the finding is about the whole change. */
  path: z.string().nullable(),
  /** Line of the reviewed commit, from 1; null: the finding is about the whole file. */
  line: z.int().nullable(),
  text: z.string(),
});
export type ReviewFinding = z.infer<typeof ReviewFinding>;

/** What a review says, as its agent handed it in. */
export type ReviewResult = {
  verdict: ReviewVerdict;
  summary: string;
  findings: ReviewFinding[];
  /** Findings beyond the limit. */
  leftOut: number;
};
