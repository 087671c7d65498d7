// Run as `npm run package -- [FOLDER]`: packs the product into one archive and prints its path.
import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { findNpm } from '../bootstrap/find-npm.mjs';
import { projectRoot } from '../bootstrap/project-root.mjs';
import { say } from '../bootstrap/say.mjs';
import { buildCommit } from './build-commit.mjs';
import { buildProduct } from './build-product.mjs';
import { packageAssets } from './package-assets.mjs';
import { packageManifest } from './package-manifest.mjs';
import { billOfMaterials } from './parts/bill-of-materials.mjs';
import { bundledPackages } from './parts/bundled-packages.mjs';
import { thirdPartyLicenses } from './parts/third-party-licenses.mjs';

const packTimeoutMs = 120_000;
/** Size limit of the archive, which excludes the database's native code: that is a dependency. */
const maxArchiveBytes = 10_000_000;
/** Files that builds write for build tools; they are left out of the package. */
const notPacked = new Set(['.build-stamp', '.packages.json']);

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
  const bundled = bundledPackages([...modules, ...dashboardPackages(projectRoot)]);
  for (const asset of packageAssets(projectRoot)) {
    rmSync(join(making, asset));
    cpSync(join(projectRoot, asset), join(making, asset), {
      recursive: true,
      filter: (path) => !notPacked.has(basename(path)),
    });
  }
  // The package has its own README, since that of the repository describes a checkout.
  cpSync(join(projectRoot, 'control-plane/cli/build/package-readme.md'), join(making, 'README.md'));
  writeFileSync(join(making, 'THIRD-PARTY-LICENSES.txt'), thirdPartyLicenses(bundled));
  const manifest = packageManifest(projectRoot);
  const lock = readJson(projectRoot, 'package-lock.json');
  writeFileSync(join(making, 'sbom.cdx.json'), json(billOfMaterials(manifest, bundled, lock)));
  rmSync(join(making, 'package.json'));
  writeFileSync(join(making, 'package.json'), json(manifest));
  mkdirSync(target, { recursive: true });
  await promisify(execFile)(
    process.execPath,
    [findNpm(), 'pack', '--loglevel=error', '--pack-destination', target],
    { cwd: making, timeout: packTimeoutMs },
  );
  // npm derives the archive's name from scope and name.
  const written = manifest.name.replace('@', '').replace('/', '-');
  const archive = join(target, `${written}-${manifest.version}.tgz`);
  const { size } = statSync(archive);
  if (size > maxArchiveBytes) {
    throw new Error(`the archive has ${size} bytes; at most ${maxArchiveBytes} are allowed`);
  }
  say(`${(size / 1e6).toFixed(1)} MB`);
  return archive;
}

/** Folders of the packages bundled into the dashboard, from the paths that its build recorded. */
function dashboardPackages(root) {
  return readJson(root, 'dashboard/dist/.packages.json').map((folder) => join(root, folder, '/'));
}

function readJson(root, path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}
