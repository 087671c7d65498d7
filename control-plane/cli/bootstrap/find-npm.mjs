import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { BootstrapError } from './bootstrap-error.mjs';

/** npm settings of the caller that a nested npm needs; all others belong to the outer run. */
const keptSettings = new Set([
  'npm_config_cache',
  'npm_config_registry',
  'npm_config_cafile',
  'npm_config_ca',
  'npm_config_proxy',
  'npm_config_https_proxy',
  'npm_config_noproxy',
  'npm_config_userconfig',
]);

/**
 * The environment for child processes: `nodeFolder` first in PATH, and without the variables that
 * npm sets for its scripts, which would confuse a nested npm.
 *
 * @param {Record<string, string | undefined>} env
 * @param {string} nodeFolder
 */
export function childEnvironment(env, nodeFolder) {
  const kept = Object.entries(env).filter(
    ([name]) => !/^npm_/i.test(name) || keptSettings.has(name.toLowerCase()),
  );
  const child = Object.fromEntries(kept);
  const pathName = Object.keys(child).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  child[pathName] = [nodeFolder, child[pathName]].filter(Boolean).join(delimiter);
  return child;
}

/**
 * The script of the npm that started this process, otherwise of the npm beside Node or in PATH: it
 * runs with our own Node and never through a shell.
 *
 * @returns {string} absolute path of npm-cli.js
 * @throws {BootstrapError} exit code 3 when there is none
 */
export function findNpm(env = process.env, execPath = process.execPath) {
  const script = npmCandidates(env, execPath).find((path) => existsSync(path));
  if (script) return script;
  throw new BootstrapError('npm was not found; install Node with npm and try again', 3);
}

function npmCandidates(env, execPath) {
  const nodeFolder = dirname(execPath);
  const inPath = (env.PATH ?? env.Path ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, 'npm'))
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path));
  // npm_execpath may name another package manager's script, which takes other arguments.
  return [
    env.npm_execpath ?? '',
    join(nodeFolder, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(nodeFolder, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    ...inPath,
  ].filter((path) => basename(path) === 'npm-cli.js');
}
