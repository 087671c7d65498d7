import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { npmFailure } from './npm-failure.ts';

const run = promisify(execFile);
const FETCH_TIMEOUT_MS = 15 * 60_000;
/** Interval of progress messages during a wait. */
const HEARTBEAT_MS = 5_000;
/** Limits on the archives of a given folder that are checked: number and size. */
const MAX_ARCHIVES = 200;
const MAX_ARCHIVE_BYTES = 2 * 1024 ** 3;

/** A package of npm's registry as `name@version`, and the hash of its only valid content. */
export type PinnedPackage = { package: string; integrity: string };

export type FetchOptions = {
  cacheFolder: string;
  progress: (line: string) => void;
  /** Folder with archives that were downloaded before; then the network is not used. */
  from?: string;
  /** Aborts the download. */
  signal?: AbortSignal;
};

/** npm could not fetch a package; another machine may be able to. */
export class NotFetched extends Error {}

/**
 * Path of a pinned package's archive: from the given folder, else from the cache, else fetched with
 * `npm pack`. Throws when it is unavailable or not the pinned content.
 */
export async function fetchPackage(pin: PinnedPackage, options: FetchOptions): Promise<string> {
  const { cacheFolder, progress, from, signal } = options;
  const name = createHash('sha256').update(pin.integrity).digest('hex').slice(0, 24);
  const cached = join(cacheFolder, `${name}.tgz`);
  if (from !== undefined) return await copyOfGiven(from, pin, cached);
  const present = await stat(cached).catch(() => null);
  if (present && (await integrityOf(cached)) === pin.integrity) {
    progress(`${pin.package}: in the cache`);
    return cached;
  }
  await mkdir(cacheFolder, { recursive: true });
  const folder = await mkdtemp(join(cacheFolder, 'fetch-'));
  const startedMs = Date.now();
  const seconds = () => ((Date.now() - startedMs) / 1000).toFixed(1);
  progress(`${pin.package}: fetching`);
  const heartbeat = setInterval(
    () => progress(`${pin.package}: fetching for ${seconds()} s`),
    HEARTBEAT_MS,
  );
  try {
    await npmPack(pin.package, folder, signal);
    const [file] = (await readdir(folder)).filter((entry) => entry.endsWith('.tgz'));
    if (!file) throw new Error(`${pin.package}: npm pack left no archive`);
    const found = await integrityOf(join(folder, file));
    if (found !== pin.integrity) {
      throw new Error(
        `${pin.package}: integrity is ${found}, pinned is ${pin.integrity}; nothing of it was kept: check npm's registry setting`,
      );
    }
    await rename(join(folder, file), cached);
    progress(`${pin.package}: fetched in ${seconds()} s`);
    return cached;
  } finally {
    clearInterval(heartbeat);
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Finds an archive by its content, whatever its name, and copies it: others may be able to write in
 * the folder.
 */
async function copyOfGiven(folder: string, pin: PinnedPackage, copy: string): Promise<string> {
  const entries = await readdir(folder).catch((error: unknown) => {
    throw new Error(`the folder of archives ${folder} cannot be read`, { cause: error });
  });
  const archives = entries.filter((entry) => entry.endsWith('.tgz')).slice(0, MAX_ARCHIVES);
  await mkdir(dirname(copy), { recursive: true });
  for (const archive of archives) {
    const path = join(folder, archive);
    if (!(await hasContent(path, pin))) continue;
    await copyFile(path, copy);
    if (await hasContent(copy, pin)) return copy;
  }
  throw new Error(
    `${folder} has no archive of ${pin.package} with its pinned content: put it there on a machine with a network ("npm pack ${pin.package}" in that folder)`,
  );
}

/** Whether a path is a readable regular file with the pinned content. */
async function hasContent(path: string, { integrity }: PinnedPackage): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile() || found.size > MAX_ARCHIVE_BYTES) return false;
  return (await integrityOf(path).catch(() => null)) === integrity;
}

async function npmPack(name: string, folder: string, signal?: AbortSignal): Promise<void> {
  // The path of npm, if npm itself started this process.
  const npm = process.env['npm_execpath'];
  const [command, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  const args = ['pack', '--loglevel=error', '--ignore-scripts', '--pack-destination', folder];
  // A manifest makes the folder a project, so that settings of a surrounding one do not apply.
  await writeFile(join(folder, 'package.json'), '{}');
  args.push('--workspaces=false', '--update-notifier=false');
  try {
    await run(command, [...first, ...args, name], {
      timeout: FETCH_TIMEOUT_MS,
      cwd: folder,
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw new NotFetched(npmFailure(name, error), { cause: error });
  }
}

async function integrityOf(path: string): Promise<string> {
  const hash = createHash('sha512');
  await pipeline(createReadStream(path), hash);
  return `sha512-${hash.digest('base64')}`;
}
