import type { AttemptContext } from '../attempt-deps.ts';
import type { Companion } from '../companions/companion.ts';
import type { ModelWatch } from './model-watch.ts';

/** Counts usage by the engine's own figures, where the model proxy does not count it. */
export function followUsage(
  { usage, recorder }: Pick<AttemptContext, 'usage' | 'recorder'>,
  { isCounting }: Pick<ModelWatch, 'isCounting'>,
): Companion {
  return {
    name: 'the count of usage',
    engineEvent(event) {
      if (event.kind === 'turn_started') usage.turnBegan();
      if (event.kind !== 'stats' || isCounting) return;
      const { totals, last, contextWindow } = event;
      const metered = usage.note(totals, last);
      recorder.progress({ usage: metered });
      return recorder.event('usage', {
        totals,
        own: metered.own,
        ...(contextWindow === undefined ? {} : { contextWindow }),
      });
    },
  };
}
