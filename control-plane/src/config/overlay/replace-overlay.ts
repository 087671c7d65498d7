import type { Caller } from '../../http/caller/caller.ts';
import { type ConfigDeps, changeOverlay, requirePlainValue } from './change-overlay.ts';
import { type JsonObject, isJsonObject } from '../values/json-object.ts';
import { restoreRedacted } from '../values/redact-config.ts';

/** Replaces the whole overlay; returns it as stored. A returned `[redacted]` keeps its secret. */
export async function replaceOverlay(
  deps: ConfigDeps,
  input: { caller: Caller; overlay: JsonObject },
): Promise<JsonObject> {
  requirePlainValue(input.overlay);
  return changeOverlay(deps, {
    caller: input.caller,
    operation: 'config.replace',
    subject: null,
    change: (current) => {
      const restored = restoreRedacted(input.overlay, current);
      return isJsonObject(restored) ? restored : {};
    },
  });
}
