import { lazy, Suspense } from 'preact/compat';
import { retryImport } from '../data/retry-import.ts';
import { Skeleton } from '../data/query-view.tsx';
import type { DiffProps } from './diff-props.ts';

// Most pages show no difference: the viewer is fetched with the first one.
const DiffFiles = lazy(() =>
  retryImport(() => import('./diff-files.tsx')).then((module) => module.DiffFiles),
);

/** A difference, file by file. */
export function DiffView(props: DiffProps) {
  return (
    <Suspense fallback={<Skeleton lines={6} label="Loading the diff" />}>
      <DiffFiles {...props} />
    </Suspense>
  );
}
