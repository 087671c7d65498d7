import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const skipped = new Set(['node_modules', 'dist', 'images']);

/**
 * A checksum of source files without tests, by which a build is recognized as current.
 *
 * @param {string} root absolute path of the checkout
 * @param {string[]} sources files and folders in it; missing ones count as empty
 * @returns {string} one line
 */
export function sourceStamp(root, sources) {
  const hash = createHash('sha256');
  for (const source of sources) {
    for (const path of filesUnder(join(root, source))) {
      hash
        .update(`${relative(root, path)}\0`)
        .update(readFileSync(path))
        .update('\0');
    }
  }
  return `${hash.digest('hex')}\n`;
}

function filesUnder(path) {
  if (!existsSync(path)) return [];
  if (!lstatSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => !skipped.has(entry.name) && !/\.test\.tsx?$/.test(entry.name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) =>
      entry.isDirectory() ? filesUnder(join(path, entry.name)) : [join(path, entry.name)],
    );
}
