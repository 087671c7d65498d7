import { isTestFile, pathAtLevel, type SourceTree } from './source-tree.ts';

/**
 * The floors of a folder, the lowest first: each of its files and folders stands one floor above the
 * highest that it imports, so nothing imports what stands beside or above it. Folders end with a slash.
 * There are floors only where no circle is (`findCycles`).
 *
 * @param folder such as `control-plane/src`
 */
export function floorsOf({ files, edges }: SourceTree, folder: string): string[][] {
  const level = folder.split('/').length + 1;
  const inside = (path: string) => path.startsWith(`${folder}/`) && !isTestFile(path);
  const imports = new Map<string, Set<string>>();
  for (const { path } of files) if (inside(path)) imports.set(nameAt(path, level), new Set());
  for (const { from, to } of edges)
    if (inside(from) && inside(to)) imports.get(nameAt(from, level))?.add(nameAt(to, level));
  const known = new Map<string, number>();
  const floorOf = (name: string): number => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const below = [...(imports.get(name) ?? [])].filter((other) => other !== name);
    const floor = Math.max(-1, ...below.map(floorOf)) + 1;
    known.set(name, floor);
    return floor;
  };
  const floors: string[][] = [];
  for (const name of [...imports.keys()].toSorted()) (floors[floorOf(name)] ??= []).push(name);
  return floors;
}

function nameAt(path: string, level: number): string {
  const cut = pathAtLevel(path, level);
  const name = cut.split('/').at(-1) ?? '';
  return cut === path ? name : `${name}/`;
}
