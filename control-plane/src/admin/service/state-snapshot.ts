import type { State } from '@switchyard/shared/api/work/state';
import { toJson } from '@switchyard/shared/text/well-formed-json';
import type { Deps } from '../../deps.ts';
import { getState } from './get-state.ts';

type Snapshot = { version: string; secrets: number; bytes: Promise<Uint8Array<ArrayBuffer>> };

/**
 * Provides the state as JSON in UTF-8 without secrets, built once for each version however many
 * clients request it. A result for an outdated version is never returned.
 */
export function createStateSnapshot(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'service' | 'redactor'>,
): (version: string) => Promise<Uint8Array<ArrayBuffer>> {
  let last: Snapshot | null = null;
  const encoded = (state: State) =>
    new Uint8Array(new TextEncoder().encode(deps.redactor.json(toJson(state))));
  return async (version) => {
    const secrets = deps.redactor.version();
    if (last?.version === version && last.secrets === secrets) return last.bytes;
    const own: Snapshot = { version, secrets, bytes: getState(deps).then(encoded) };
    last = own;
    try {
      return await own.bytes;
    } catch (error) {
      if (last === own) last = null;
      throw error;
    }
  };
}
