import type { Ids } from '../../../control-plane/src/ports/ports.ts';
import type { Random } from './random.ts';

/** The same ids and secrets for the same seed. */
export function seededIds(random: Random, nowMs: () => number): Ids {
  let count = 0;
  const text = () => random.int(0, 0x7fffffff).toString(36).padStart(6, '0');
  return {
    next: (kind) =>
      `${kind}_${nowMs().toString(36)}${(count += 1).toString(36).padStart(4, '0')}${text()}`,
    secret: () => `${text()}${text()}${text()}${text()}`,
  };
}
