import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../e2e/start-service.ts';
import type { Ended } from '../e2e/switchyard.ts';

const PACK_TIMEOUT_MS = 180_000;
const INSTALL_TIMEOUT_MS = 240_000;
const RUN_TIMEOUT_MS = 300_000;
const MAX_OUTPUT_BYTES = 10_000_000;

export type InstalledPackage = {
  /** Where npm put the package itself. */
  folder: string;
  /** Where npm put everything. */
  prefix: string;
  /** The Node that it runs on: the oldest of this machine that is supported. */
  nodeVersion: string;
  /** Path of the installed command. */
  command: string;
  /** Runs it with an empty home, in a working folder of its own. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
  remove(): Promise<void>;
};

/** Packs this checkout and installs the archive as a user does, with npm, into a prefix of its own. */
export async function installPackage(): Promise<InstalledPackage> {
  const root = await mkdtemp(join(tmpdir(), 'swy-package-'));
  const prefix = join(root, 'prefix');
  const home = join(root, 'home');
  try {
    const pack = join(repositoryRoot, 'control-plane/cli/build/package-command.mjs');
    const packed = await promisify(execFile)(process.execPath, [pack, root], {
      timeout: PACK_TIMEOUT_MS,
    });
    const archive = packed.stdout.trim().split('\n').at(-1) ?? '';
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'];
    await promisify(execFile)('npm', ['install', '-g', '--prefix', prefix, ...quiet, archive], {
      timeout: INSTALL_TIMEOUT_MS,
      cwd: root,
    });
    const node = oldestNode();
    const env = { PATH: [dirname(node), '/usr/bin', '/bin'].join(delimiter), HOME: home };
    return {
      folder: join(prefix, 'lib/node_modules/@switchyard/switchyard'),
      prefix,
      command: join(prefix, 'bin/switchyard'),
      nodeVersion: versionOf(node),
      run: (args, more = {}) =>
        run(join(prefix, 'bin/switchyard'), args, root, { ...env, ...more }),
      remove: () => rm(root, { recursive: true, force: true, maxRetries: 3 }),
    };
  } catch (error) {
    await rm(root, { recursive: true, force: true });
    throw error;
  }
}

function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  const options = { cwd, env, timeout: RUN_TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES };
  return new Promise((resolve) => {
    execFile(command, args, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
    });
  });
}

/** The tests' own Node is a new one; beside it stands what the machine came with. */
function oldestNode(): string {
  const found = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'node'))
    .filter((path) => existsSync(path));
  const byAge = [process.execPath, ...found]
    .map((path) => ({ path, major: Number(versionOf(path).split('.')[0]) }))
    .filter(({ major }) => major >= 20)
    .toSorted((a, b) => a.major - b.major);
  return byAge[0]?.path ?? process.execPath;
}

function versionOf(node: string): string {
  return execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim();
}
