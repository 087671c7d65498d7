import type { Caller } from '../../http/caller/caller.ts';
import { AppError } from '../../errors.ts';
import { canonicalPath } from '../values/canonical-entries.ts';
import { type ConfigDeps, changeOverlay } from './change-overlay.ts';
import type { JsonObject } from '../values/json-object.ts';
import { removeFromOverlay } from './set-in-overlay.ts';
import { requirePlainPath } from './patch-overlay.ts';

/**
 * Removes a path and everything below it; returns the new overlay. Throws `not_found` when it is
 * not set.
 */
export async function deleteOverlayPath(
  deps: ConfigDeps,
  input: { caller: Caller; path: string },
): Promise<JsonObject> {
  requirePlainPath(input.path);
  const path = canonicalPath(input.path);
  return changeOverlay(deps, {
    caller: input.caller,
    operation: 'config.delete',
    subject: input.path,
    change: (current) => {
      const next = path === null ? null : removeFromOverlay(current, path);
      if (next === null) {
        throw new AppError(
          'not_found',
          `the overlay path ${JSON.stringify(input.path)} was not found`,
        );
      }
      return next;
    },
  });
}
