import type { AttemptContext } from '../attempt-deps.ts';
import type { Companion } from '../companions/companion.ts';

/**
 * Reports that the memory limit was reached. The engine may survive: usually one of the agent's
 * commands was killed, and the agent sees that.
 */
export function reportOoms({ recorder, deps, ref }: AttemptContext): Companion {
  const message = 'something in the container was killed because its memory limit was reached';
  return {
    name: 'the notice about memory',
    containerRuns({ container }) {
      container.onOom(() => {
        recorder.event('notice', { level: 'warning', message }).catch((error: unknown) => {
          deps.log.error('an event was not stored', { ...ref, error: String(error) });
        });
      });
    },
  };
}
