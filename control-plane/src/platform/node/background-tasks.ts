import { messageOf } from '@switchyard/shared/message-of';
import type { BackgroundTasks, ErrorTracker, Logger } from '../../ports/ports.ts';

/** Work that outlives its request; `settled` waits for running work. */
export function createBackgroundTasks(
  logger: Logger,
  errors?: ErrorTracker,
): BackgroundTasks & { settled(): Promise<void> } {
  const running = new Set<Promise<void>>();
  return {
    run(name, task) {
      const work = task()
        .catch((error: unknown) => {
          errors?.capture(error, { operation: name });
          logger.error('background task failed', {
            name,
            error: messageOf(error),
          });
        })
        .finally(() => running.delete(work));
      running.add(work);
    },
    async settled() {
      await Promise.all(running);
    },
  };
}
