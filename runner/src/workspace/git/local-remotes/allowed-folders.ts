import { realpath, stat } from 'node:fs/promises';
import { devNull } from 'node:os';
import { dirname, relative, resolve, sep } from 'node:path';
import { FolderHandle } from '../../../agent-files/folder-handle.ts';
import { commandText, quoteWord } from '@switchyard/shared/text/command-text';
import { shownPath } from '../shown-path.ts';
import { WorkspaceError } from '../../workspace.ts';
import { BadFolder } from './bad-folder.ts';
import { isRunnerFolder, liesIn, liesInRunnerFolder } from './runner-folder.ts';

/** Nothing there is a file of a person: `/proc/PID/root` is what the agent of a container sees. */
const SYSTEM_FOLDERS = ['/proc', '/sys', '/dev'];
/** What lies there belongs to everybody; containers have their files below `/run`. */
const TOO_WIDE = ['/', '/run', '/var/run'];

type AllowedFolder = { path: string; dev: number; ino: number };

/** A folder as it is open; on Linux nothing that takes its name later matters. */
export type OpenFolder = { path: string; handle: FolderHandle };

/**
 * The folders of this host in which a repository may lie because the operator named them, and the
 * only way in which host git comes to one. Each is known by its place on the disk, so that another
 * folder under its name is not taken for it.
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
   * Throws BadFolder for one that is missing or that agents write. The command is the one that starts
   * this runner, for people; null: not known.
   */
  static async open(
    folders: readonly string[],
    dataPath: string,
    command: string | null = null,
  ): Promise<AllowedFolders> {
    const own = await realpath(dataPath);
    const known = await Promise.all(folders.map((folder) => identify(folder, own)));
    // The innermost first: it needs no more of the others than their names.
    return new AllowedFolders(
      known.toSorted((a, b) => b.path.length - a.path.length),
      { dataPath: own, command },
    );
  }

  /**
   * Opens a folder below an allowed one, links followed first; the caller closes it. Throws
   * `repository_refused` with what the operator can do, `repository_missing` when no folder is there.
   * A part holds files of a repository, and needs nothing around it.
   */
  async open(path: string, options: { isPart?: boolean } = {}): Promise<OpenFolder> {
    assertText(path);
    const name = shownPath(path);
    if (isOfSystem(resolve(path))) throw ofSystem(name);
    const real = await realpath(path).catch(() => null);
    // Whether there is something is nothing to tell of places that nobody named.
    const place = real ?? resolve(path);
    if (isOfSystem(place)) throw ofSystem(name);
    if (liesIn(place, this.#dataPath)) throw ofRunner(name);
    const allowed = this.#folders.find((folder) => liesIn(place, folder.path));
    if (allowed === undefined)
      throw this.#notAllowed(name, options.isPart === true ? place : around(place));
    if (real === null) throw missing(name);
    return { path: real, handle: await descend(allowed, real, name) };
  }

  /** The flag replaces what is allowed: it has to name the present folders too. */
  #notAllowed(name: string, folder: string): WorkspaceError {
    const present = this.#folders.map(({ path }) => shownPath(path)).toSorted();
    const words = [...present, shownPath(folder)].map(quoteWord).join(' ');
    const flag = `--allow-folder ${words}`;
    const how =
      this.#command === null
        ? flag
        : `"${commandText(`${this.#command} ${flag}`, process.env)}" and its other options`;
    return refused(
      `${name} lies in no folder that this runner may use for repositories (${present.join(', ') || 'it has none'}): its operator can start it with ${how}`,
    );
  }

  /** Throws `repository_refused` when agents can write what a path leads to. */
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

/** Single steps from the allowed folder down: nothing that is put in the way is followed. */
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
  // As an unset variable of a shell leaves it; it would be the current folder.
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

/** Bytes that are no text cannot be looked up here, but git would follow them. */
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

/** The folder with repositories that a repository lies in, or itself where that may not be allowed. */
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
