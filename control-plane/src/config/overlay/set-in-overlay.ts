import { canonicalEntries, canonicalPath } from '../values/canonical-entries.ts';
import { type JsonObject, isJsonObject, removeAtPath, setAtPath } from '../values/json-object.ts';

/**
 * An overlay with everything at and below a path taken out, whatever its spelling. Null when there
 * was nothing. The path must be canonical.
 */
export function removeFromOverlay(overlay: JsonObject, path: readonly string[]): JsonObject | null {
  const next = structuredClone(overlay);
  const hit = canonicalEntries(overlay).entries.filter((entry) => isWithin(entry.canonical, path));
  for (const entry of hit) removeAtPath(next, entry.stored);
  return hit.length === 0 ? null : next;
}

/**
 * An overlay with one value set. Other spellings of the path go. The value stands where its parent
 * already stands as an object, else under the path as it was given.
 */
export function setInOverlay(overlay: JsonObject, given: string, value: unknown): JsonObject {
  const path = canonicalPath(given);
  if (path === null) return { ...overlay, [given]: value };
  const place = placeFor(overlay, given.split('.'), path);
  const next = removeFromOverlay(overlay, path) ?? structuredClone(overlay);
  setAtPath(next, place, value);
  return next;
}

/** An overlay with each of the values set, one after another; keys are dotted paths. */
export function setAllInOverlay(
  overlay: JsonObject,
  values: Readonly<Record<string, unknown>>,
): JsonObject {
  return Object.entries(values).reduce(
    (next, [path, value]) => setInOverlay(next, path, value),
    overlay,
  );
}

/** Keys from the root down: nested parents that exist, then the rest as one dotted key. */
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

/** Whether a path is another one or lies below it. */
function isWithin(path: readonly string[], parent: readonly string[]): boolean {
  return parent.every((segment, index) => path[index] === segment);
}
