import { join } from 'node:path';
import { measureSizes, SIZE_LIMITS } from '../../architecture/size-rules.ts';
import { readSourceTree } from '../../architecture/source-tree.ts';

// A table of the figures that test/architecture holds, for people.
const { coreFolders, mostFilesInFolder, platformPercent } = measureSizes(
  readSourceTree(join(import.meta.dirname, '../../..')),
);
const rows: [what: string, is: string, atMost: number][] = [
  ['folders at the top of control-plane/src', String(coreFolders), SIZE_LIMITS.coreFolders],
  ['product files directly in a folder', String(mostFilesInFolder), SIZE_LIMITS.filesInFolder],
  ['platform/ of the core, %', platformPercent.toFixed(1), SIZE_LIMITS.platformPercent],
];
for (const [what, is, atMost] of rows)
  console.log(`${what.padEnd(42)} ${is.padStart(5)}   at most ${atMost}`);
