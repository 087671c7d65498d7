import { canonicalEntries, canonicalPath } from '../values/canonical-entries.ts';
import { type JsonObject, isJsonObject, removeAtPath, setAtPath } from '../values/json-object.ts';

/**
 * An overlay without everything at and below a canonical path, in any spelling. Null when there was
 * nothing to remove.
 */
export function removeFromOverlay(overlay: JsonObject, path: readonly string[]): JsonObject | null {
  const next = structuredClone(overlay);
  const hit = canonicalEntries(overlay).entries.filter((entry) => isWithin(entry.canonical, path));
  for (const entry of hit) removeAtPath(next, entry.stored);
  return hit.length === 0 ? null : next;
}

/**
 * An overlay with one value set; other spellings of the path are removed. The value is placed in
 * its parent object if that exists, else under the path as given.
 */
export function setInOverlay(overlay: JsonObject, given: string, value: unknown): JsonObject {
  const path = canonicalPath(given);
  if (path === null) return { ...overlay, [given]: value };
  const place = placeFor(overlay, given.split('.'), path);
  const next = removeFromOverlay(overlay, path) ?? structuredClone(overlay);
  setAtPath(next, place, value);
  return next;
}

/** An overlay with several values set in order; keys are dotted paths. */
export function setAllInOverlay(
  overlay: JsonObject,
  values: Readonly<Record<string, unknown>>,
): JsonObject {
  return Object.entries(values).reduce(
    (next, [path, value]) => setInOverlay(next, path, value),
    overlay,
  );
}

/** Where to place a value: the existing nested parents, then the rest as one dotted key. */
function placeFor(
  overlay: JsonObject,
  given: readonly string[],
  path: readonly string[],
): string[] {
  if (given.length !== path.length) return [given.join('.')];
  let node = overlay;
  let depth = 0;
  const place: string[] = [];
  for (;;) {
    const parent = Object.keys(node).find((key) => {
      const reached = canonicalPath([...place, key].join('.')) ?? path;
      return isJsonObject(node[key]) && reached.length < path.length && isWithin(path, reached);
    });
    const child = parent === undefined ? undefined : node[parent];
    if (parent === undefined || !isJsonObject(child)) break;
    place.push(parent);
    node = child;
    depth = place.join('.').split('.').length;
  }
  return [...place, given.slice(depth).join('.')];
}

/** Whether a path equals another one or is below it. */
function isWithin(path: readonly string[], parent: readonly string[]): boolean {
  return parent.every((segment, index) => path[index] === segment);
}
