/** A plain JSON object. */
export type JsonObject = Record<string, unknown>;

const MAX_DEPTH = 32;
const REFUSED_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

export function isJsonObject(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Whether a name would reach an object's prototype; such names are refused in every key. */
export function isRefusedName(name: string): boolean {
  return REFUSED_NAMES.has(name);
}

/**
 * Why a value is refused: a refused name (also in a dotted key) or too much nesting. Null: it is
 * accepted.
 */
export function structureProblem(value: unknown, depth = 0): string | null {
  if (depth > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`;
  if (!Array.isArray(value) && !isJsonObject(value)) return null;
  for (const [key, inner] of Object.entries(value)) {
    const refused = key.split('.').find(isRefusedName);
    if (refused !== undefined) return `uses the refused name ${refused}`;
    const problem = structureProblem(inner, depth + 1);
    if (problem !== null) return problem;
  }
  return null;
}

/** Sets a value at a path, creating objects as needed. The path must contain no refused name. */
export function setAtPath(target: JsonObject, path: readonly string[], value: unknown): void {
  const last = path.at(-1);
  if (last === undefined) throw new Error('a configuration path needs at least one segment');
  let node = target;
  for (const segment of path.slice(0, -1)) {
    const next = Object.hasOwn(node, segment) ? node[segment] : undefined;
    if (isJsonObject(next)) {
      node = next;
    } else {
      const made: JsonObject = {};
      node[segment] = made;
      node = made;
    }
  }
  node[last] = value;
}

/** Reads a value at a path; undefined when there is none. */
export function getAtPath(source: unknown, path: readonly string[]): unknown {
  let node = source;
  for (const segment of path) {
    if (!isJsonObject(node) || !Object.hasOwn(node, segment)) return undefined;
    node = node[segment];
  }
  return node;
}

/** Removes a value at a path, and objects that become empty. */
export function removeAtPath(target: JsonObject, path: readonly string[]): void {
  const [first, ...rest] = path;
  if (first === undefined || !Object.hasOwn(target, first)) return;
  const child = target[first];
  if (rest.length > 0 && isJsonObject(child)) {
    removeAtPath(child, rest);
    if (Object.keys(child).length > 0) return;
  } else if (rest.length > 0) {
    return;
  }
  delete target[first];
}
