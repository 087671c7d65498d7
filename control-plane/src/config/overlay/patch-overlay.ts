import type { Caller } from '../../http/caller/caller.ts';
import { AppError } from '../../errors.ts';
import { canonicalEntries, canonicalPath } from '../values/canonical-entries.ts';
import { type ConfigDeps, changeOverlay, requirePlainValue } from './change-overlay.ts';
import { type JsonObject, getAtPath, isRefusedName } from '../values/json-object.ts';
import { setInOverlay } from './set-in-overlay.ts';
import { nestEntries } from './merge-config.ts';
import { findPlaceholder, restoreRedacted } from '../values/redact-config.ts';

/** Sets one path, in any spelling, to a value; returns the new overlay. */
export async function patchOverlay(
  deps: ConfigDeps,
  input: { caller: Caller; path: string; value: unknown },
): Promise<JsonObject> {
  requirePlainPath(input.path);
  requirePlainValue(input.value);
  return changeOverlay(deps, {
    caller: input.caller,
    operation: 'config.patch',
    subject: input.path,
    gives: givenPaths(input.path, input.value),
    change: (current) => {
      const stored = nestEntries(canonicalEntries(current).entries);
      const before = getAtPath(stored, canonicalPath(input.path) ?? []);
      return setInOverlay(current, input.path, restoreRedacted(input.value, before));
    },
  });
}

/** The paths that a value sets; a placeholder that the client returned unchanged does not count. */
function givenPaths(path: string, value: unknown): string[] {
  return canonicalEntries({ [path]: value })
    .entries.filter((entry) => findPlaceholder(entry.value) === null)
    .map(({ canonical }) => canonical.join('.'));
}

/** Throws `bad_request` for paths that could reach a prototype or are malformed. */
export function requirePlainPath(path: string): void {
  const segments = path.split('.');
  const refused = segments.find(isRefusedName);
  if (refused !== undefined) {
    throw new AppError('bad_request', `the path uses the refused name ${refused}`);
  }
  if (path.length > 500 || segments.includes('')) {
    throw new AppError(
      'bad_request',
      'the path must be names with dots between, at most 500 characters',
    );
  }
}
