import { lazy, Suspense } from 'preact/compat';
import { loadAgain } from '../load-again.ts';
import { Skeleton } from '../panel-states.tsx';
import type { Review } from './review.ts';

// Most pages show no difference: the viewer is fetched with the first one.
const DiffFiles = lazy(() =>
  loadAgain(() => import('./diff-files.tsx')).then((module) => module.DiffFiles),
);

export type DiffProps = {
  /** Git's unified format, also a fragment that begins with a hunk. */
  diff: string;
  /** With it, each line takes comments. */
  review?: Review;
  /** Lists the files above, to go to one of them. */
  tree?: boolean;
};

/** A difference, file by file. */
export function DiffView(props: DiffProps) {
  return (
    <Suspense fallback={<Skeleton lines={6} label="Loading the difference" />}>
      <DiffFiles {...props} />
    </Suspense>
  );
}
