import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The plain name is taken in the public registry. */
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
    // As the command itself checks when it starts.
    engines,
    dependencies: { libsql: dependencies.libsql },
  };
}
