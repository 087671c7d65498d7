import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The licences of everything that a bundle contains, one section a package.
 *
 * @param {string[]} modules paths of the bundled modules
 * @returns {string} plain text
 * @throws {Error} when a package has neither a licence file nor a licence in its package.json
 */
export function thirdPartyLicenses(modules) {
  const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== null));
  const sections = [...folders].map(section).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return [
    'Switchyard contains the following packages.\n',
    ...sections.map(({ name, text }) => `\n${'='.repeat(80)}\n${name}\n\n${text.trim()}\n`),
  ].join('');
}

function packageFolder(module) {
  const found = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module);
  return found?.[1] ?? null;
}

function section(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  if (file === undefined && typeof license !== 'string') {
    throw new Error(`${name} ${version} does not say under which licence it is`);
  }
  const text =
    file === undefined ? `Licence: ${license}` : readFileSync(join(folder, file), 'utf8');
  return { name: `${name} ${version} (${license})`, text };
}
