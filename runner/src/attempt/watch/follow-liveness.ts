import type { AttemptContext } from '../attempt-deps.ts';
import type { Companion } from '../companions/companion.ts';

/** Passes the engine's signs of life to the attempt's time limits. Statistics are none. */
export function followLiveness({ liveness }: Pick<AttemptContext, 'liveness'>): Companion {
  return {
    name: 'the time limits',
    turnStarting({ isAdopted }) {
      if (isAdopted) liveness.turnStarted();
    },
    engineEvent({ kind }) {
      if (kind !== 'stats') liveness.engineMessage();
      if (kind === 'turn_started') liveness.turnStarted();
      if (kind === 'turn_ended') liveness.turnEnded();
    },
    attemptEnded: async () => liveness.stop(),
  };
}
