import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import * as z from 'zod';
import { sandboxFolder } from './sandbox-image.ts';

const run = promisify(execFile);
const FETCH_TIMEOUT_MS = 15 * 60_000;
const UNPACK_TIMEOUT_MS = 5 * 60_000;

const Pin = z.object({
  package: z.string(),
  integrity: z.string().regex(/^sha512-[A-Za-z0-9+/]+=*$/),
});
type Pin = z.infer<typeof Pin>;
const PinPair = z.object({ x64: Pin, arm64: Pin });
const Pins = z.object({ node: PinPair, engine: PinPair, npm: z.object({ any: Pin }) });

/** Processor of the Docker daemon in the package registry's spelling. */
export type SandboxArchitecture = 'x64' | 'arm64';

/** What goes into the image, and where below /opt/switchyard each package is unpacked. */
type Part = { folder: string; pin: Pin; strip: number; member: string; leaveOut: string[] };

const triples: Record<SandboxArchitecture, string> = {
  x64: 'x86_64-unknown-linux-musl',
  arm64: 'aarch64-unknown-linux-musl',
};

async function parts(architecture: SandboxArchitecture): Promise<Part[]> {
  const pins = Pins.parse(JSON.parse(await readFile(join(sandboxFolder, 'pins.json'), 'utf8')));
  return [
    {
      folder: 'node',
      pin: pins.node[architecture],
      strip: 1,
      member: 'package/bin/node',
      leaveOut: [],
    },
    {
      folder: 'npm',
      pin: pins.npm.any,
      strip: 1,
      member: 'package',
      leaveOut: ['package/docs', 'package/man'],
    },
    {
      folder: 'engine',
      pin: pins.engine[architecture],
      strip: 3,
      member: `package/vendor/${triples[architecture]}`,
      // Speech input: 50 MB that no container uses.
      leaveOut: [`package/vendor/${triples[architecture]}/*-resources/voice`],
    },
  ];
}

/**
 * Puts Node, npm and the engine for `architecture` into `destination`, one folder each. Packages
 * come through `npm pack`, are checked against pins.json and kept in `cacheFolder` by content.
 * Throws when a package cannot be fetched or is not the pinned one.
 */
export async function collectPackages(options: {
  architecture: SandboxArchitecture;
  cacheFolder: string;
  destination: string;
  progress: (line: string) => void;
  /** Ends it in the middle. */
  signal?: AbortSignal;
}): Promise<void> {
  const { cacheFolder, progress, signal } = options;
  for (const part of await parts(options.architecture)) {
    const archive = await fetchPackage(part.pin, cacheFolder, progress, signal);
    const folder = join(options.destination, part.folder);
    await mkdir(folder, { recursive: true });
    const leaveOut = part.leaveOut.map((path) => `--exclude=${path}`);
    await run(
      'tar',
      ['-xzf', archive, '-C', folder, `--strip-components=${part.strip}`, ...leaveOut, part.member],
      { timeout: UNPACK_TIMEOUT_MS, ...(signal === undefined ? {} : { signal }) },
    );
  }
}

/** Path of the pinned package's archive, fetched unless the cache has it. */
export async function fetchPackage(
  pin: Pin,
  cacheFolder: string,
  progress: (line: string) => void,
  signal?: AbortSignal,
): Promise<string> {
  const name = createHash('sha256').update(pin.integrity).digest('hex').slice(0, 24);
  const cached = join(cacheFolder, `${name}.tgz`);
  const present = await stat(cached).catch(() => null);
  if (present && (await integrityOf(cached)) === pin.integrity) {
    progress(`${pin.package}: in the cache`);
    return cached;
  }
  await mkdir(cacheFolder, { recursive: true });
  const folder = await mkdtemp(join(cacheFolder, 'fetch-'));
  const startedMs = Date.now();
  progress(`${pin.package}: fetching`);
  try {
    await npmPack(pin.package, folder, signal);
    const [file] = (await readdir(folder)).filter((entry) => entry.endsWith('.tgz'));
    if (!file) throw new Error(`${pin.package}: npm pack left no archive`);
    const found = await integrityOf(join(folder, file));
    if (found !== pin.integrity) {
      throw new Error(`${pin.package}: integrity is ${found}, pinned is ${pin.integrity}`);
    }
    await rename(join(folder, file), cached);
    progress(`${pin.package}: fetched in ${((Date.now() - startedMs) / 1000).toFixed(1)} s`);
    return cached;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function npmPack(name: string, folder: string, signal?: AbortSignal): Promise<void> {
  const npm = process.env['npm_execpath'];
  const [command, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  const words = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder, name];
  try {
    await run(command, [...first, ...words], {
      timeout: FETCH_TIMEOUT_MS,
      cwd: folder,
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(`${name}: npm pack failed; check the network and npm's registry setting`, {
      cause: error,
    });
  }
}

async function integrityOf(path: string): Promise<string> {
  const hash = createHash('sha512');
  await pipeline(createReadStream(path), hash);
  return `sha512-${hash.digest('base64')}`;
}
