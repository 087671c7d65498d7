// Run as `npm run package -- [FOLDER]`: packs the product into one archive and prints its path.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { findNpm } from '../bootstrap/find-npm.mjs';
import { projectRoot } from '../bootstrap/project-root.mjs';
import { say } from '../bootstrap/say.mjs';
import { buildCommit } from './build-commit.mjs';
import { buildProduct } from './build-product.mjs';
import { packageAssets } from './package-assets.mjs';
import { packageManifest } from './package-manifest.mjs';
import { thirdPartyLicenses } from './third-party-licenses.mjs';

const packTimeoutMs = 120_000;
/** Without the database's native code, which is a dependency. */
const maxArchiveBytes = 10_000_000;

const destination = resolve(process.argv[2] ?? join(projectRoot, 'artifacts'));
const folder = mkdtempSync(join(tmpdir(), 'switchyard-package-'));
try {
  say(`packing into ${destination}`);
  process.stdout.write(`${await pack(folder, destination)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function pack(making, target) {
  const modules = await buildProduct(projectRoot, making, making, buildCommit(projectRoot));
  for (const asset of packageAssets) {
    rmSync(join(making, asset));
    cpSync(join(projectRoot, asset), join(making, asset), {
      recursive: true,
      filter: (path) => !path.endsWith('.build-stamp'),
    });
  }
  // The checkout's own speaks of the checkout.
  cpSync(join(projectRoot, 'control-plane/cli/build/package-readme.md'), join(making, 'README.md'));
  writeFileSync(join(making, 'THIRD-PARTY-LICENSES.txt'), thirdPartyLicenses(modules));
  const manifest = packageManifest(projectRoot);
  rmSync(join(making, 'package.json'));
  writeFileSync(join(making, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  mkdirSync(target, { recursive: true });
  await promisify(execFile)(
    process.execPath,
    [findNpm(), 'pack', '--loglevel=error', '--pack-destination', target],
    { cwd: making, timeout: packTimeoutMs },
  );
  // npm names the archive after scope and name; one name is enough.
  const written = manifest.name.replace('@', '').replace('/', '-');
  const archive = join(target, `${written}-${manifest.version}.tgz`);
  const { size } = statSync(archive);
  if (size > maxArchiveBytes) {
    throw new Error(`the archive has ${size} bytes; at most ${maxArchiveBytes} are allowed`);
  }
  say(`${(size / 1e6).toFixed(1)} MB`);
  return archive;
}
