import { posix } from 'node:path';
import { isTestFile, type SourceTree } from './source-tree.ts';
import type { Violation } from './violation.ts';

const CORE = 'control-plane/src';
const PLATFORM = `${CORE}/platform/`;

/** The most that each figure may be. */
export const SIZE_LIMITS = {
  coreFolders: 20,
  filesInFolder: 15,
  platformPercent: 8,
};

/** How large and how crowded the product is, its tests and style sheets left out. */
export function measureSizes({ files }: SourceTree) {
  const product = files.filter(({ path }) => isProduct(path));
  const byFolder = Map.groupBy(product, ({ path }) => posix.dirname(path));
  const core = product.filter(({ path }) => path.startsWith(`${CORE}/`));
  const coreFolders = new Set(
    core.map(({ path }) => path.split('/')).flatMap((parts) => (parts[3] ? [parts[2]] : [])),
  );
  return {
    coreFolders: coreFolders.size,
    crowdedFolders: [...byFolder]
      .filter(([, inside]) => inside.length > SIZE_LIMITS.filesInFolder)
      .map(([folder, inside]) => ({ folder, files: inside.length })),
    mostFilesInFolder: Math.max(0, ...[...byFolder.values()].map((inside) => inside.length)),
    platformPercent:
      (100 * lines(core.filter(({ path }) => path.startsWith(PLATFORM)))) / (lines(core) || 1),
  };
}

/** Finds folders that hold too much to be seen at a glance, and platforms that hold more than adapters. */
export function checkSizes(tree: SourceTree): Violation[] {
  const { coreFolders, crowdedFolders, platformPercent } = measureSizes(tree);
  const found = crowdedFolders.map(({ folder, files }) => ({
    rule: 'crowded',
    path: folder,
    message: `holds ${files} product files, ${SIZE_LIMITS.filesInFolder} at most: make subfolders`,
  }));
  if (coreFolders > SIZE_LIMITS.coreFolders)
    found.push({
      rule: 'crowded',
      path: CORE,
      message: `holds ${coreFolders} folders, ${SIZE_LIMITS.coreFolders} at most`,
    });
  if (platformPercent > SIZE_LIMITS.platformPercent)
    found.push({
      rule: 'platform-size',
      path: PLATFORM,
      message: `is ${platformPercent.toFixed(1)} % of the core, ${SIZE_LIMITS.platformPercent} % at most: only adapters belong there`,
    });
  return found;
}

function isProduct(path: string): boolean {
  return !path.startsWith('test/') && !isTestFile(path);
}

function lines(files: readonly { lines: number }[]): number {
  return files.reduce((sum, file) => sum + file.lines, 0);
}
