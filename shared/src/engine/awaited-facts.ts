import type { RunnerEngine } from './runner-engine.ts';

type Awaited = Pick<RunnerEngine, 'state' | 'problem'>;

/** Text in place of `problem` where a runner does not report one. */
export const UNTOLD_PROBLEM = 'it does not say why';

/** The fields shown for an engine that a runner does not have yet; empty for one that it has. */
export function awaitedFacts({ state, problem }: Awaited): Awaited {
  return {
    ...(state === undefined ? {} : { state }),
    ...(problem === undefined ? {} : { problem }),
  };
}
