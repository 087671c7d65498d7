import type { Review } from './review.ts';

export type DiffProps = {
  /** Git's unified format, also a fragment that begins with a hunk. */
  diff: string;
  /** With it, each line takes comments. */
  review?: Review;
  /** Lists the files above, to go to one of them. */
  tree?: boolean;
};
