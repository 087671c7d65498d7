import type { RunnerEngine } from './runner-engine.ts';

type Awaited = Pick<RunnerEngine, 'state' | 'problem'>;

/** What an engine that is not there yet is shown with; nothing for one that is. */
export function awaitedFacts({ state, problem }: Awaited): Awaited {
  return {
    ...(state === undefined ? {} : { state }),
    ...(problem === undefined ? {} : { problem }),
  };
}
