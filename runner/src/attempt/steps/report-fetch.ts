import { messageOf } from '@switchyard/shared/message-of';
import { watchFetch } from '../../workspace/mirror/watch-fetch.ts';
import { mirrorPathOf } from '../../workspace/mirror/mirror.ts';
import type { RepositorySource } from '../../workspace/workspace.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import { throttleProgress } from '../../workspace/git/git-progress.ts';

const EVERY_MS = 2_000;

/**
 * Reports the progress of the repository's fetch in the attempt's log, at most every 2 s, until the
 * returned function is called. Includes a fetch that another issue started.
 */
export function reportFetch(
  { deps, recorder, ref }: Pick<AttemptContext, 'deps' | 'recorder' | 'ref'>,
  source: RepositorySource,
): () => void {
  const hear = throttleProgress(
    () => deps.clock.monotonicMs(),
    EVERY_MS,
    ({ step, percent }) => {
      recorder.log('git', `fetching the repository: ${step} ${percent} %`).catch((error: unknown) =>
        deps.log.info('the progress of a fetch was not kept', {
          ...ref,
          error: messageOf(error),
        }),
      );
    },
  );
  return watchFetch(mirrorPathOf(deps.workspaces, source), hear);
}
