// npm writes into the lock only those optional platform packages that its registry served, and `npm
// ci` refuses such a lock. This fills the gaps with entries of only version and platform, so that
// one lock serves every machine. Run it after a dependency has changed.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const systems = new Set([
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]);
const processors = new Set([
  'arm',
  'arm64',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'x64',
]);
// Package names of one publisher that differ from Node's names of systems and processors.
const aliases = { windows: 'win32', 64: 'x64', universal: '' };

/**
 * The lock entries that optional dependencies require and the lock lacks.
 *
 * @param {{ packages: Record<string, { optionalDependencies?: Record<string, string> }> }} lock
 * @returns {Record<string, object>} path in node_modules → stub entry
 * @throws {Error} when a missing package's version is a range or its name contains no platform
 */
export function missingLockEntries(lock) {
  const missing = {};
  for (const [folder, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (isLocked(lock.packages, folder, name)) continue;
      missing[`node_modules/${name}`] = stubEntry(name, version, entry.dev === true);
    }
  }
  return missing;
}

function isLocked(packages, folder, name) {
  let base = folder;
  for (;;) {
    if (`${base ? `${base}/` : ''}node_modules/${name}` in packages) return true;
    if (base === '') return false;
    const parent = base.lastIndexOf('/node_modules/');
    base = parent < 0 ? '' : base.slice(0, parent);
  }
}

function stubEntry(name, version, dev) {
  if (!/^\d+\.\d+\.\d+\S*$/.test(version)) {
    throw new Error(`${name}@${version} is missing from the lock and is not an exact version`);
  }
  const parts = name
    .split('/')
    .at(-1)
    .split('-')
    .map((word) => aliases[word] ?? word);
  const os = parts.find((word) => systems.has(word));
  const cpu = parts.find((word) => processors.has(word));
  if (!os) throw new Error(`${name} is missing from the lock and names no operating system`);
  const entry = dev ? { version, dev, optional: true } : { version, optional: true };
  if (cpu) entry.cpu = [cpu];
  if (os === 'linux' && parts.some((word) => word.startsWith('gnu'))) entry.libc = ['glibc'];
  if (os === 'linux' && parts.some((word) => word.startsWith('musl'))) entry.libc = ['musl'];
  entry.os = [os];
  return entry;
}

function insertInOrder(packages, added) {
  const entries = Object.entries(packages);
  for (const [path, entry] of Object.entries(added)) {
    const place = entries.findIndex(([other]) => other.localeCompare(path, 'en') > 0);
    entries.splice(place < 0 ? entries.length : place, 0, [path, entry]);
  }
  return Object.fromEntries(entries);
}

/** Completes the lock file in place; returns the number of entries added. */
function completeLock(lockPath) {
  const lock = JSON.parse(readFileSync(lockPath, 'utf8'));
  const missing = missingLockEntries(lock);
  const names = Object.keys(missing);
  if (names.length === 0) return 0;
  lock.packages = insertInOrder(lock.packages, missing);
  writeFileSync(lockPath, `${JSON.stringify(lock, null, 2)}\n`);
  return names.length;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv.length > 2) {
    const helpWanted = process.argv[2] === '--help';
    console[helpWanted ? 'log' : 'error'](
      'npm run lock:complete adds the optional packages of every platform to both lock files; it takes no argument',
    );
    process.exit(helpWanted ? 0 : 2);
  }
  for (const path of ['package-lock.json', 'docs/site/package-lock.json']) {
    const lockPath = new URL(`../../../${path}`, import.meta.url);
    process.stderr.write(`${completeLock(lockPath)} entries added to ${path}\n`);
  }
}
