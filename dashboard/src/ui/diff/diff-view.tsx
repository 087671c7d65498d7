import { lazy, Suspense } from 'preact/compat';
import { retryImport } from '../data/retry-import.ts';
import { Skeleton } from '../data/query-view.tsx';
import type { DiffProps } from './diff-props.ts';

// Most pages have no diff, so the viewer is loaded with the first one.
const DiffFiles = lazy(() =>
  retryImport(() => import('./diff-files.tsx')).then((module) => module.DiffFiles),
);

/** A diff, file by file. */
export function DiffView(props: DiffProps) {
  return (
    <Suspense fallback={<Skeleton lines={6} label="Loading the diff" />}>
      <DiffFiles {...props} />
    </Suspense>
  );
}
