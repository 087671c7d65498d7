import type { State } from '@switchyard/shared/api/work/state';
import { toJson } from '@switchyard/shared/text/well-formed-json';
import type { Deps } from '../../deps.ts';
import { getState } from './get-state.ts';

type Snapshot = { version: string; bytes: Promise<Uint8Array<ArrayBuffer>> };

/**
 * The state as JSON in UTF-8, made once for each version however many ask. What was made for a version
 * that is over is never answered.
 */
export function createStateSnapshot(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'service'>,
): (version: string) => Promise<Uint8Array<ArrayBuffer>> {
  let last: Snapshot | null = null;
  return async (version) => {
    if (last?.version === version) return last.bytes;
    const mine: Snapshot = { version, bytes: getState(deps).then(encoded) };
    last = mine;
    try {
      return await mine.bytes;
    } catch (error) {
      if (last === mine) last = null;
      throw error;
    }
  };
}

const encoded = (state: State) => new Uint8Array(new TextEncoder().encode(toJson(state)));
