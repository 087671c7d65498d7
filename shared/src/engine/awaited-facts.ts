import type { RunnerEngine } from './runner-engine.ts';

type Awaited = Pick<RunnerEngine, 'state' | 'problem'>;

/** In place of `problem`, where a runner does not tell it. */
export const UNTOLD_PROBLEM = 'it does not say why';

/** What an engine that is not there yet is shown with; nothing for one that is. */
export function awaitedFacts({ state, problem }: Awaited): Awaited {
  return {
    ...(state === undefined ? {} : { state }),
    ...(problem === undefined ? {} : { problem }),
  };
}
