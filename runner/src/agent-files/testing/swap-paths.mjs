#!/usr/bin/env node
/**
 * An agent that swaps, as fast as it can, what stands under its names: `node swap-paths.mjs FOLDER
 * NAME SECRET_FILE [SECRET_FOLDER]`. Files of that name turn into links to the secret, one of them
 * into a pipe, and back; with a SECRET_FOLDER so does the folder of one of them.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILES = 16;
const [folder = '', name = '', secretFile = '', secretFolder] = process.argv.slice(2);

/** What stands in a place, what takes its turn there, and where the first waits meanwhile. */
const swaps = [];
rmSync(folder, { recursive: true, force: true });
for (let index = 0; index < FILES; index += 1) {
  const at = join(folder, `swapped-${index}`);
  mkdirSync(at, { recursive: true });
  writeFileSync(join(at, name), 'honest\n');
  symlinkSync(secretFile, join(at, 'other'));
  swaps.push([join(at, name), join(at, 'other'), join(at, 'aside')]);
}
const piped = join(folder, 'piped');
mkdirSync(piped);
writeFileSync(join(piped, name), 'honest\n');
if (secretFolder !== undefined) {
  execFileSync('mkfifo', [join(piped, 'other')]);
  swaps.push([join(piped, name), join(piped, 'other'), join(piped, 'aside')]);
  const day = join(folder, 'day');
  mkdirSync(day);
  writeFileSync(join(day, name), 'honest\n');
  symlinkSync(secretFolder, join(folder, 'other-day'));
  swaps.push([day, join(folder, 'other-day'), join(folder, 'aside')]);
}
process.stdout.write('swapping\n');
for (;;) {
  for (const [place = '', other = '', aside = ''] of swaps) {
    renameSync(place, aside);
    renameSync(other, place);
  }
  for (const [place = '', other = '', aside = ''] of swaps) {
    renameSync(place, other);
    renameSync(aside, place);
  }
}
