import { messageOf } from '@switchyard/shared/message-of';
import { waitUntil } from 'cloudflare:workers';
import type { BackgroundTasks, ErrorTracker, Logger } from '../../ports/ports.ts';

/** Work that continues after its response: the runtime is told to wait for it. */
export function createBackground(logger: Logger, errors: ErrorTracker): BackgroundTasks {
  return {
    run(name, task) {
      waitUntil(
        task().catch((error: unknown) => {
          errors.capture(error, { operation: name });
          logger.error('background task failed', {
            name,
            error: messageOf(error),
          });
        }),
      );
    },
  };
}
