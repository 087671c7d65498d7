import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The plain name is taken in the public registry. */
const packageName = '@switchyard/switchyard';

/**
 * package.json of the package. Only native code and binaries are dependencies; the engine is an
 * optional one, for agents in Docker use the engine of the sandbox image.
 *
 * @param {string} root absolute path of the checkout
 */
export function packageManifest(root) {
  const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
  const { version, description, license, repository } = read('package.json');
  const { dependencies } = read('control-plane/package.json');
  const { optionalDependencies } = read('runner/package.json');
  return {
    name: packageName,
    version,
    description,
    license,
    ...(repository === undefined ? {} : { repository }),
    type: 'module',
    bin: { switchyard: 'bin/switchyard.mjs' },
    // As the command itself checks when it starts.
    engines: { node: '>=20.19' },
    dependencies: { libsql: dependencies.libsql },
    optionalDependencies,
  };
}
