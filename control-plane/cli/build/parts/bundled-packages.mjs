import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The packages of which a bundle contains code, by name.
 *
 * @param {string[]} modules absolute paths of the bundled modules
 * @returns {{ name: string, version: string, license: unknown, folder: string }[]}
 */
export function bundledPackages(modules) {
  const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== null));
  return [...folders].map(describe).toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

function packageFolder(module) {
  const found = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module);
  return found?.[1] ?? null;
}

function describe(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { name, version, license, folder };
}

function nameOf({ name, version }) {
  return `${name} ${version}`;
}
