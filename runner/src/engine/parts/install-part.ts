import { constants, existsSync } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, readdir, rename, rm, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { commandText } from '@switchyard/shared/text/command-text';
import { EngineMissing } from './engine-missing.ts';
import type { EnginePart } from './engine-parts.ts';
import { archivesFolder } from './engines-folder.ts';
import { NotFetched } from './fetch-package.ts';
import { holdFolderLock } from './hold-folder-lock.ts';
import { hostPlatform, installedFolder, partFolder } from './host-problem.ts';
import { placePart } from './place-part.ts';

const MIB = 1024 ** 2;
const NEVER = new AbortController().signal;

export type InstallOptions = {
  progress: (line: string) => void;
  /** A person accepted the part's licence notice. */
  acceptsLicence: boolean;
  /**
   * Folder with archives that were downloaded before; left out: `SWITCHYARD_ENGINE_ARCHIVES`, or
   * npm.
   */
  from?: string;
  signal?: AbortSignal;
  env?: NodeJS.ProcessEnv;
};

/** The part's licence was not accepted, so nothing was installed. */
export class LicenceNotAccepted extends EngineMissing {}

/**
 * Installs an engine on this host for agents that run as plain processes; a no-op when it is
 * installed. The folder appears only when it is complete. Throws `EngineMissing` when there is no
 * build for this platform, `LicenceNotAccepted`, or as `fetchPackage` does.
 */
export async function installPart(part: EnginePart, options: InstallOptions): Promise<string> {
  const { progress, signal = NEVER, env = process.env } = options;
  const present = installedFolder(part, env);
  if (present !== null) {
    progress(`${part.name} ${part.version} is installed in ${present}`);
    return present;
  }
  if (part.platforms[hostPlatform()] === undefined) throw new EngineMissing(noBuild(part));
  if (part.licenceNotice !== null && !options.acceptsLicence) {
    throw new LicenceNotAccepted(
      `${part.licenceNotice}\n\n${part.title} was not installed: its licence has to be accepted (--accept-licence).`,
    );
  }
  const folder = partFolder(part, env);
  await makeEnginesFolder(dirname(folder));
  const waiting = () => progress(`${part.name}: another process of this machine installs it`);
  await holdFolderLock(lockOfPart(part, env), { signal, waiting }, async () => {
    if (installedFolder(part, env) !== null) return;
    await removeUnfinished(folder);
    await requireSpace(dirname(folder), part);
    const from = options.from ?? archivesFolder(env);
    await install(part, folder, { progress, signal, ...(from === undefined ? {} : { from }) });
  });
  progress(`${part.name} ${part.version} is installed in ${folder}`);
  return folder;
}

/** Path of a part's lock during its installation, outside the folders of parts. */
export function lockOfPart(part: EnginePart, env: NodeJS.ProcessEnv): string {
  const folder = partFolder(part, env);
  return join(dirname(folder), '.locks', basename(folder));
}

/** Creates the folder; it may already exist, owned by another user or on a read-only medium. */
async function makeEnginesFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (error) {
    throw new Error(
      `the folder of engines ${folder} cannot be written by this user: allow it, or name another folder with SWITCHYARD_ENGINES`,
      { cause: error },
    );
  }
}

/** Removes what a killed process left; nobody else works here under the lock. */
async function removeUnfinished(folder: string): Promise<void> {
  const entries = await readdir(dirname(folder));
  const left = entries.filter((name) => name.startsWith(`${basename(folder)}.`));
  await Promise.all(
    left.map((name) => rm(join(dirname(folder), name), { recursive: true, force: true })),
  );
}

/**
 * Checks the free space: the archive, about half the installed size, exists beside it for a while.
 */
async function requireSpace(folder: string, { title, sizeMiB }: EnginePart): Promise<void> {
  const neededMiB = Math.ceil(sizeMiB * 1.5);
  const { bavail, bsize } = await statfs(folder);
  const freeMiB = Math.floor((bavail * bsize) / MIB);
  if (freeMiB >= neededMiB) return;
  throw new Error(
    `${title} needs ${neededMiB} MiB while it is installed, and the disk of ${folder} has ${freeMiB} MiB free: free some, or name another folder with SWITCHYARD_ENGINES`,
  );
}

async function install(
  part: EnginePart,
  folder: string,
  how: Pick<InstallOptions, 'progress' | 'from' | 'signal'>,
): Promise<void> {
  how.progress(`installing ${part.title} ${part.version}, about ${part.sizeMiB} MiB`);
  const unfinished = await mkdtemp(`${folder}.`);
  try {
    const cacheFolder = join(unfinished, '.archives');
    await placePart(part, hostPlatform(), unfinished, { ...how, cacheFolder });
    await rm(cacheFolder, { recursive: true, force: true });
    // The files are public: agents that run as another user must be able to execute them.
    await chmod(unfinished, 0o755);
    await moveInto(unfinished, folder, part);
  } catch (error) {
    if (!(error instanceof NotFetched)) throw error;
    throw new NotFetched(`${error.message}. ${elsewhere(part)}`, { cause: error });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

const elsewhere = ({ name }: EnginePart): string =>
  `Without a network: "switchyard engine download ${name} FOLDER --platform ${hostPlatform()}" on another machine, then here "${commandText(`engine install ${name} --from FOLDER`, process.env)}"`;

/** Renames the finished folder; if another process was first, its copy stays. */
async function moveInto(unfinished: string, folder: string, part: EnginePart): Promise<void> {
  try {
    await rename(unfinished, folder);
  } catch (error) {
    if (existsSync(join(folder, part.program))) return;
    await rm(folder, { recursive: true, force: true });
    await rename(unfinished, folder).catch(() => {
      throw error;
    });
  }
}

function noBuild({ name, version, platforms }: EnginePart): string {
  return (
    `The agent engine ${name} ${version} has no build for ${hostPlatform()}, only for ` +
    `${Object.keys(platforms).join(', ')}; run its agents on another machine.`
  );
}
