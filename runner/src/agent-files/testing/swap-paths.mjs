#!/usr/bin/env node
/**
 * An agent that swaps, as fast as it can, what stands under its names: `node swap-paths.mjs FOLDER
 * SECRET_FILE SECRET_FOLDER`. In FOLDER/swapped a session file turns into a link to the secret and
 * back; FOLDER/day turns into a link to a folder with a file of that name.
 */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder = '', secretFile = '', secretFolder = ''] = process.argv.slice(2);
const NAME = 'rollout-thread-1.jsonl';
const [file, folderOfDay] = [join(folder, 'swapped', NAME), join(folder, 'day')];

mkdirSync(join(folder, 'swapped'), { recursive: true });
mkdirSync(folderOfDay, { recursive: true });
writeFileSync(file, 'honest\n');
writeFileSync(join(folderOfDay, NAME), 'honest\n');
const links = [
  [file, join(folder, 'link'), join(folder, 'aside'), secretFile],
  [folderOfDay, join(folder, 'folder-link'), join(folder, 'folder-aside'), secretFolder],
];
for (const [, link = '', , target = ''] of links) {
  rmSync(link, { force: true });
  symlinkSync(target, link);
}
process.stdout.write('swapping\n');
for (;;) {
  for (const [place = '', link = '', aside = ''] of links) {
    renameSync(place, aside);
    renameSync(link, place);
    renameSync(place, link);
    renameSync(aside, place);
  }
}
