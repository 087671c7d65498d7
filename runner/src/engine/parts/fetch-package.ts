import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const FETCH_TIMEOUT_MS = 15 * 60_000;

/** A package of npm's registry, as `name@version`, and the only content it may have. */
export type PinnedPackage = { package: string; integrity: string };

export type FetchOptions = {
  cacheFolder: string;
  progress: (line: string) => void;
  /** Ends it in the middle. */
  signal?: AbortSignal;
};

/**
 * Path of the pinned package's archive, fetched through `npm pack` unless the cache has it. Throws
 * when it cannot be fetched or is not the pinned one.
 */
export async function fetchPackage(pin: PinnedPackage, options: FetchOptions): Promise<string> {
  const { cacheFolder, progress, signal } = options;
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
