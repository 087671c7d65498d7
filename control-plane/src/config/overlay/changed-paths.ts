import { canonicalEntries } from '../values/canonical-entries.ts';
import { type JsonObject, isJsonObject } from '../values/json-object.ts';
import { nestEntries } from './merge-config.ts';

const MAX_PATHS = 100;

/**
 * Canonical paths at which two canonical, nested configurations differ; a list counts as one value.
 */
export function changedPaths(before: JsonObject, after: JsonObject): string[] {
  const old = valuesByPath(before);
  const newValues = valuesByPath(after);
  const paths = new Set([...old.keys(), ...newValues.keys()]);
  return [...paths]
    .filter((path) => old.get(path) !== newValues.get(path))
    .sort()
    .slice(0, MAX_PATHS);
}

/** As `changedPaths`, for two overlays in any spelling. */
export function changedOverlayPaths(before: JsonObject, after: JsonObject): string[] {
  const canonical = (overlay: JsonObject) => nestEntries(canonicalEntries(overlay).entries);
  return changedPaths(canonical(before), canonical(after));
}

function valuesByPath(config: JsonObject, parents: readonly string[] = []): Map<string, string> {
  const values = new Map<string, string>();
  for (const [key, value] of Object.entries(config)) {
    const path = [...parents, key];
    if (isJsonObject(value) && Object.keys(value).length > 0) {
      for (const [inner, text] of valuesByPath(value, path)) values.set(inner, text);
    } else {
      values.set(path.join('.'), JSON.stringify(value) ?? '');
    }
  }
  return values;
}
