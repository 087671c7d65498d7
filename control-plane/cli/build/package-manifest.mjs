import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The public registry already has a package with the plain name. */
const packageName = '@switchyard/switchyard';

/**
 * package.json of the package. Only the database's native code is a dependency: agent engines are
 * fetched by whoever runs agents.
 *
 * @param {string} root absolute path of the checkout
 */
export function packageManifest(root) {
  const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
  const { version, description, license, repository, engines } = read('package.json');
  const { dependencies } = read('control-plane/package.json');
  return {
    name: packageName,
    version,
    description,
    license,
    ...(repository === undefined ? {} : { repository }),
    type: 'module',
    bin: { switchyard: 'bin/switchyard.mjs' },
    // The same condition that the command checks at its start.
    engines,
    dependencies: { libsql: dependencies.libsql },
  };
}
