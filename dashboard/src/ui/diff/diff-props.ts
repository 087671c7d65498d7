import type { Review } from './review.ts';

export type DiffProps = {
  /** A diff in git's unified format, or a fragment that begins with a hunk. */
  diff: string;
  /** If given, each line accepts comments. */
  review?: Review;
  /** Shows a list of the files above, with links to them. */
  tree?: boolean;
};
