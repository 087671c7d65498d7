import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BootstrapError } from './bootstrap-error.mjs';
import { startHeartbeat } from './heartbeat.mjs';
import { holdLock } from './hold-lock.mjs';
import {
  currentPlatform,
  neededMajor,
  nodePackageFor,
  recommendedVersion,
} from './node-packages.mjs';
import { childEnvironment, findNpm } from './find-npm.mjs';
import { runStep } from './run-step.mjs';

const installTimeoutMs = 10 * 60_000;
/** Oldest major version of Node whose npm is used to fetch the toolchain. */
const oldestMajor = 20;

/**
 * The Node that runs the sources (tests, tools): this process's own when it is new enough, else one in
 * `.toolchain/`, fetched on first use. It lives outside node_modules because `npm ci` empties that
 * folder together with the Node it would be running on.
 *
 * @returns {Promise<{ node: string, version: string, env(base: object): object }>}
 * @throws {BootstrapError} exit code 3 when there is no Node 24 for this platform
 */
export async function ensureToolchain(root, signals) {
  const major = Number(process.versions.node.split('.')[0]);
  if (major >= neededMajor) return describe(root, process.execPath, process.versions.node);
  const nodePackage = nodePackageFor(currentPlatform());
  if (nodePackage === null || major < oldestMajor) throw unavailable();
  const folder = join(root, '.toolchain', `node-${nodePackage.version}`);
  const node = join(folder, 'node_modules', nodePackage.name, 'bin', 'node');
  if (!existsSync(node)) {
    await holdLock(join(root, '.toolchain', 'lock'), signals, async () => {
      if (!existsSync(node)) await install(nodePackage, folder, signals);
    });
  }
  if (!existsSync(node)) throw new BootstrapError(`${nodePackage.name} came without ${node}`);
  return describe(root, node, nodePackage.version);
}

/**
 * The Node that builds and runs the product: this process's own when the bundler supports it, else
 * the toolchain's.
 */
export async function ensureBuilder(root, signals) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const canBuild = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
  if (canBuild) return describe(root, process.execPath, process.versions.node);
  return ensureToolchain(root, signals);
}

function describe(root, node, version) {
  // The compile cache of modules: without it, a start spends half its time on loading.
  const NODE_COMPILE_CACHE = join(root, '.toolchain', 'compile-cache');
  return {
    node,
    version,
    env: (base) => ({ NODE_COMPILE_CACHE, ...childEnvironment(base, dirname(node)) }),
  };
}

function unavailable() {
  const { platform, arch, glibc } = currentPlatform();
  const libc = platform === 'linux' && !glibc ? ' without glibc' : '';
  return new BootstrapError(
    `this is Node ${process.versions.node}, and no Node ${neededMajor} can be fetched for ` +
      `${platform} ${arch}${libc}: install Node ${recommendedVersion} or later and try again`,
    3,
  );
}

/**
 * Installs into a temporary folder and renames it, so that a folder with the final name is always
 * complete.
 */
async function install(nodePackage, folder, signals) {
  const { name, version, integrity } = nodePackage;
  const temporary = `${folder}.${process.pid}`;
  mkdirSync(temporary, { recursive: true });
  const dependencies = { [name]: version };
  const packages = { '': { dependencies }, [`node_modules/${name}`]: { version, integrity } };
  writeJson(join(temporary, 'package.json'), { private: true, dependencies });
  writeJson(join(temporary, 'package-lock.json'), { lockfileVersion: 3, packages });
  const heartbeat = startHeartbeat(`installing Node ${version}`);
  try {
    await runStep(signals, {
      what: `fetching Node ${version}`,
      command: process.execPath,
      args: [findNpm(), 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
      cwd: temporary,
      env: childEnvironment(process.env, dirname(process.execPath)),
      timeoutMs: installTimeoutMs,
    });
    rmSync(folder, { recursive: true, force: true });
    renameSync(temporary, folder);
    heartbeat.done();
  } finally {
    heartbeat.stop();
    rmSync(temporary, { recursive: true, force: true });
  }
}

function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
