import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const sandbox = 'runner/src/container/docker/sandbox';

/**
 * Files that the programs read at run time, and the documents of a package.
 *
 * @param {string} root absolute path of the checkout
 * @returns {string[]} paths of files and folders in it
 */
export function packageAssets(root) {
  const shellPrograms = readdirSync(join(root, 'runner/src'), { recursive: true, encoding: 'utf8' })
    .map((path) => `runner/src/${path}`)
    .filter((path) => path.endsWith('.sh') && !path.startsWith(sandbox));
  return [
    'LICENSE',
    'migrations',
    'dashboard/dist',
    sandbox,
    ...shellPrograms,
    'control-plane/cli/edge/serve-assets.mjs',
  ];
}
