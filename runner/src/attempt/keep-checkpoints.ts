import { sleep } from '../connection/clock.ts';
import type { AttemptContext } from './attempt-deps.ts';
import { putBackStopped } from './checks/check-tree.ts';
import type { Companion } from './companions/companion.ts';
import { takeCheckpoint } from './steps/take-checkpoint.ts';

/** A stopping host gives its attempts a few seconds; see main.ts. */
const RELEASE_CHECKPOINT_MS = 3_000;
const TERMINAL_CHECKPOINT_MS = 90_000;
const CONTAINER_END_MS = 2_000;

/**
 * Saves what another host needs to continue: at the start of the thread, after each turn, and what
 * an undelivered attempt leaves; the delivery takes one more itself. The work that the checkpoint
 * of a turn finds (`context.saved`) is what reviews and checks look at next. A released attempt has
 * little time for its last checkpoint, because its host is stopping.
 */
export function keepCheckpoints(context: AttemptContext): Companion {
  const { control, deps } = context;
  return {
    name: 'the last checkpoint',
    threadOpened: ({ home }) =>
      takeCheckpoint(context, {
        trigger: 'thread_started',
        workspace: null,
        home,
        agentStopped: false,
      }),
    async turnCompleted({ workspace, home }) {
      await putBackStopped(context, workspace);
      const trigger = 'turn_completed';
      await takeCheckpoint(context, { trigger, workspace, home, agentStopped: false });
    },
    async attemptEnded({ end, place }) {
      const { order, lostSignal } = control;
      if (place === null || lostSignal.aborted || end?.outcome === 'completed') return;
      const { workspace, home } = place;
      const isReleased = order?.kind === 'release';
      const trigger = isReleased ? 'drain' : 'terminal';
      const limitMs = isReleased ? RELEASE_CHECKPOINT_MS : TERMINAL_CHECKPOINT_MS;
      void putBackStopped(context, workspace);
      const taken = takeCheckpoint(context, {
        trigger,
        workspace,
        home,
        agentStopped: true,
        limitMs,
      });
      // The extra time only covers ending the container.
      await Promise.race([taken, sleep(deps.clock, limitMs + CONTAINER_END_MS, lostSignal)]);
    },
  };
}
