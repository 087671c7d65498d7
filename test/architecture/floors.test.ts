import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { floorsOf } from './floors-of.ts';
import { readSourceTree, type SourceTree } from './source-tree.ts';

const root = join(import.meta.dirname, '../..');
const page = 'docs/architecture.md';
const FOLDERS = [
  'control-plane/src',
  'control-plane/cli',
  'runner/src',
  'dashboard/src',
  'shared/src',
];
const picture = /(?<=^## Floors\n[^#]*```text\n)[^`]*(?=```)/m;

it('the floors in docs/architecture.md are those of the code; `npm test -- FILE -u` draws them', async () => {
  const text = readFileSync(join(root, page), 'utf8');
  expect(text).toMatch(picture);
  const drawn = text.replace(picture, () => drawFloors(readSourceTree(root)));
  await expect(drawn).toMatchFileSnapshot(join(root, page));
});

/** The folders with their floors, the roof first. */
function drawFloors(tree: SourceTree): string {
  return FOLDERS.map((folder) => {
    const floors = floorsOf(tree, folder);
    const lines = floors.map((names, floor) => `${String(floor).padStart(4)}  ${names.join('  ')}`);
    return [`${folder}/`, ...lines.toReversed()].join('\n');
  })
    .join('\n\n')
    .concat('\n');
}
