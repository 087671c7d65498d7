import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { bundlePrograms } from './bundle-programs.mjs';
import { bundleWorker } from './bundle-worker.mjs';
import { packageAssets } from './package-assets.mjs';

/**
 * Creates the package's content in `folder`: programs and the Worker are bundled, the Worker's
 * settings are adapted to that, and everything else is a link to the checkout.
 *
 * @param {string} root absolute path of the checkout
 * @param {string} folder absolute path; its former content is removed
 * @param {string} place where the caller finally puts the folder; links are relative to it
 * @param {string} commit see buildCommit
 * @returns {Promise<string[]>} paths of all bundled modules
 */
export async function buildProduct(root, folder, place, commit) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const modules = [
    ...(await bundlePrograms(root, folder, commit)),
    ...(await bundleWorker(root, folder, commit)),
  ];
  const settings = workerSettings(readFileSync(join(root, 'wrangler.toml'), 'utf8'));
  writeFileSync(join(folder, 'wrangler.toml'), settings);
  for (const asset of ['package.json', ...packageAssets(root)]) {
    mkdirSync(dirname(join(folder, asset)), { recursive: true });
    symlinkSync(relative(dirname(join(place, asset)), join(root, asset)), join(folder, asset));
  }
  return modules;
}

/** The Worker's settings, adapted to a Worker that is already bundled. */
function workerSettings(text) {
  const main = 'main = "control-plane/src/platform/workers/worker.ts"\n';
  if (!text.includes(main)) throw new Error('wrangler.toml names another entry of the Worker');
  return text
    .replace(main, 'main = "worker/worker.js"\nno_bundle = true\n')
    .replace(/^(minify|keep_names) = .*\n/gm, '');
}
