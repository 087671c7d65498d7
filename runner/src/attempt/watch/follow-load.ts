import type { AttemptContext } from '../attempt-deps.ts';
import type { Companion } from '../companions/companion.ts';

/** Has the load of an attempt's container measured as soon as it runs. */
export function followLoad({ deps, owner }: Pick<AttemptContext, 'deps' | 'owner'>): Companion {
  return {
    name: 'the measurement of load',
    containerRuns: ({ container: { containerId } }) => deps.containerRuns?.({ containerId, owner }),
  };
}
