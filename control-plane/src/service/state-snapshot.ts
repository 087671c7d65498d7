import type { Deps } from '../deps.ts';
import { getState } from './get-state.ts';

type Snapshot = { version: string; text: Promise<string> };

/**
 * The state as JSON text, made once for each version however many ask. What was made for a version
 * that is over is never answered.
 */
export function createStateSnapshot(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'service'>,
): (version: string) => Promise<string> {
  let last: Snapshot | null = null;
  return async (version) => {
    if (last?.version === version) return last.text;
    const mine: Snapshot = { version, text: getState(deps).then((state) => JSON.stringify(state)) };
    last = mine;
    try {
      return await mine.text;
    } catch (error) {
      if (last === mine) last = null;
      throw error;
    }
  };
}
