import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The licences of everything that a bundle contains, one section a package.
 *
 * @param {{ name: string, version: string, license: unknown, folder: string }[]} packages
 * @returns {string} plain text
 * @throws {Error} when a package has neither a licence file nor a licence in its package.json
 */
export function thirdPartyLicenses(packages) {
  return ['Switchyard contains the following packages.\n', ...packages.map(section)].join('');
}

function section({ name, version, license, folder }) {
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  if (file === undefined && typeof license !== 'string') {
    throw new Error(`${name} ${version} does not say under which licence it is`);
  }
  const text =
    file === undefined ? `Licence: ${license}` : readFileSync(join(folder, file), 'utf8');
  return `\n${'='.repeat(80)}\n${name} ${version} (${license})\n\n${text.trim()}\n`;
}
