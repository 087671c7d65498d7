import { isRecord } from '../../format/text-of.ts';

/** The value at a dotted path; undefined where there is none. */
export function valueAt(config: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), config);
}

/** Leaf values by dotted path, from any mix of nesting and dotted keys. */
export function leavesOf(value: unknown, path = ''): Map<string, unknown> {
  if (!isRecord(value) || (Object.keys(value).length === 0 && path !== '')) {
    return new Map([[path, value]]);
  }
  const inner = Object.entries(value).flatMap(([key, each]) => [
    ...leavesOf(each, path === '' ? key : `${path}.${key}`),
  ]);
  return new Map(inner);
}

/** Whether an overlay sets a path, in any spelling. */
export function isOverlaid(overlay: unknown, path: string): boolean {
  const wanted = plain(path);
  return [...leavesOf(overlay).keys()].some((leaf) => {
    const given = plain(leaf);
    return given === wanted || given.startsWith(`${wanted}.`);
  });
}

export type ValueChange = { path: string; before: unknown; after: unknown };

/** Differences between two overlays by leaf; undefined where one lacks it. */
export function changesBetween(before: unknown, after: unknown): ValueChange[] {
  const old = leavesOf(before);
  const next = leavesOf(after);
  const paths = [...new Set([...old.keys(), ...next.keys()])].filter((path) => path !== '');
  return paths
    .filter((path) => JSON.stringify(old.get(path)) !== JSON.stringify(next.get(path)))
    .map((path) => ({ path, before: old.get(path), after: next.get(path) }));
}

function plain(path: string): string {
  return path.replaceAll('_', '').toLowerCase();
}
