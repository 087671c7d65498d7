import { realpath, stat } from 'node:fs/promises';
import { devNull } from 'node:os';
import { dirname, relative, resolve, sep } from 'node:path';
import { FolderHandle } from '../../../agent-files/folder-handle.ts';
import { commandText, quoteWord } from '@switchyard/shared/text/command-text';
import { shownPath } from '../shown-path.ts';
import { WorkspaceError } from '../../workspace.ts';
import { BadFolder } from './bad-folder.ts';
import { isRunnerFolder, liesIn, liesInRunnerFolder } from './runner-folder.ts';

/** Folders that contain no files of people: `/proc/PID/root` is a container's view. */
const SYSTEM_FOLDERS = ['/proc', '/sys', '/dev'];
/** Folders of the whole system; containers have their files below `/run`. */
const TOO_WIDE = ['/', '/run', '/var/run'];

type AllowedFolder = { path: string; dev: number; ino: number };

/** An open folder; on Linux nothing that takes its name later matters. */
export type OpenFolder = { path: string; handle: FolderHandle };

/**
 * The folders of this host in which the operator allows repositories, and the only way in which
 * host git reaches one. Each is identified by its place on the disk, so that another folder under
 * its name is not accepted.
 */
export class AllowedFolders {
  readonly #folders: readonly AllowedFolder[];
  readonly #dataPath: string;
  readonly #command: string | null;

  private constructor(
    folders: readonly AllowedFolder[],
    own: { dataPath: string; command: string | null },
  ) {
    this.#folders = folders;
    this.#dataPath = own.dataPath;
    this.#command = own.command;
  }

  /**
   * Identifies the folders. Throws BadFolder for one that is missing, part of the system or written
   * by agents. `command` starts this runner, for messages; null: not known.
   */
  static async open(
    folders: readonly string[],
    dataPath: string,
    command: string | null = null,
  ): Promise<AllowedFolders> {
    const own = await realpath(dataPath);
    const known = await Promise.all(folders.map((folder) => identify(folder, own)));
    // The innermost comes first: a path is opened from there, so outer ones need not be readable.
    return new AllowedFolders(
      known.toSorted((a, b) => b.path.length - a.path.length),
      { dataPath: own, command },
    );
  }

  /**
   * Opens a folder below an allowed one, with links resolved; the caller closes it. Throws
   * `repository_refused` with advice for the operator, `repository_missing` when there is no
   * folder. With `isPart` the advice names the folder itself instead of the one around it.
   */
  async open(path: string, options: { isPart?: boolean } = {}): Promise<OpenFolder> {
    assertText(path);
    const name = shownPath(path);
    if (isOfSystem(resolve(path))) throw ofSystem(name);
    const real = await realpath(path).catch(() => null);
    // For places outside the allowed folders, whether something exists is not revealed.
    const place = real ?? resolve(path);
    if (isOfSystem(place)) throw ofSystem(name);
    if (liesIn(place, this.#dataPath)) throw ofRunner(name);
    const allowed = this.#folders.find((folder) => liesIn(place, folder.path));
    if (allowed === undefined)
      throw this.#notAllowed(name, options.isPart === true ? place : around(place));
    if (real === null) throw missing(name);
    return { path: real, handle: await descend(allowed, real, name) };
  }

  /** The error names all folders, because the flag replaces the allowed ones. */
  #notAllowed(name: string, folder: string): WorkspaceError {
    const present = this.#folders.map(({ path }) => shownPath(path)).toSorted();
    const paths = [...present, shownPath(folder)].map(quoteWord).join(' ');
    const flag = `--allow-folder ${paths}`;
    const how =
      this.#command === null
        ? flag
        : `"${commandText(`${this.#command} ${flag}`, process.env)}" and its other options`;
    return refused(
      `${name} lies in no folder that this runner may use for repositories (${present.join(', ') || 'it has none'}): its operator can start it with ${how}`,
    );
  }

  /** Throws `repository_refused` when agents can write the target of a path. */
  async assertNotAgents(path: string): Promise<void> {
    assertText(path);
    const real = await realpath(path).catch(() => null);
    if (real === null || real === devNull) return;
    const name = shownPath(path);
    if (isOfSystem(real)) throw ofSystem(name);
    const isRunners = liesIn(real, this.#dataPath) || (await liesInRunnerFolder(real));
    if (isRunners) throw ofRunner(name);
  }
}

/**
 * Opens folders step by step from the allowed one, so that no link that is put in the way is
 * followed.
 */
async function descend(allowed: AllowedFolder, real: string, name: string): Promise<FolderHandle> {
  let handle = await FolderHandle.open(allowed.path);
  try {
    if (handle === null)
      throw refused(
        `${shownPath(allowed.path)} is gone, or the user of this runner may not read it: bring it back, or let that user list it`,
      );
    const found = await handle.ownStat();
    if (found.dev !== allowed.dev || found.ino !== allowed.ino)
      throw refused(
        `${shownPath(allowed.path)} is not the folder that it was when this runner started: restart the runner if that is meant`,
      );
    const steps = relative(allowed.path, real).split(sep).filter(Boolean);
    for (const step of [...steps, null]) {
      if (await isRunnerFolder(handle)) throw ofRunner(name);
      if (step === null) break;
      const inner: FolderHandle | null = await handle.folder(
        Buffer.from(step, 'utf8').toString('latin1'),
      );
      await handle.close();
      handle = inner;
      if (handle === null) throw missing(name);
    }
    return handle;
  } catch (error) {
    await handle?.close();
    throw error;
  }
}

async function identify(folder: string, dataPath: string): Promise<AllowedFolder> {
  const bad = (why: string) => new BadFolder(`--allow-folder ${shownPath(folder)}: ${why}`);
  // An unset shell variable gives an empty name, which would mean the current folder.
  if (folder === '') throw bad('it has no name; name the folder with the repositories');
  const path = await realpath(resolve(folder)).catch(() => null);
  const found = path === null ? null : await stat(path);
  if (path === null || found?.isDirectory() !== true)
    throw bad('there is no such folder; make it, or name another one');
  if (TOO_WIDE.includes(path) || isOfSystem(path))
    throw bad('it holds files of the system; name the folder with the repositories');
  if (liesIn(path, dataPath) || (await liesInRunnerFolder(path)))
    throw bad('it lies in the folder of a runner, where agents write; name another one');
  return { path, dev: found.dev, ino: found.ino };
}

/** Throws for bytes that are no text: they cannot be checked here, but git would follow them. */
function assertText(path: string): void {
  if (path.includes('\u{fffd}'))
    throw refused(`${shownPath(path)} has bytes that are no text in its name: give it another one`);
}

function isOfSystem(path: string): boolean {
  return SYSTEM_FOLDERS.some((folder) => liesIn(path, folder));
}

function refused(message: string): WorkspaceError {
  return new WorkspaceError('repository_refused', message);
}

function ofSystem(name: string): WorkspaceError {
  return refused(
    `${name} leads into ${SYSTEM_FOLDERS.join(', ')}, where there is never a repository: use the path at which it lies on the disk`,
  );
}

function ofRunner(name: string): WorkspaceError {
  return refused(
    `${name} lies in the folder of a runner, where agents write: move the repository elsewhere`,
  );
}

/** The folder around a repository, or the repository itself if that one cannot be allowed. */
function around(place: string): string {
  const folder = dirname(place);
  return TOO_WIDE.includes(folder) ? place : folder;
}

function missing(name: string): WorkspaceError {
  return new WorkspaceError(
    'repository_missing',
    `there is no repository at ${name} on this runner, or its user may not open it`,
  );
}
