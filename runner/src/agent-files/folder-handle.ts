import { cutText } from '@switchyard/shared/text/cut-text';
import { type Stats, constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lchown, lstat, mkdir, open, opendir, readlink, rm } from 'node:fs/promises';
import type { WorkIdentity } from '../container/container-engine.ts';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
/** What an agent may have put in the way: nothing, a link, a pipe, a folder closed to us. */
const NOT_THERE = new Set([
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'EMLINK',
  'EACCES',
  'EPERM',
  'ENXIO',
  'ENAMETOOLONG',
  'EISDIR',
  'EAGAIN',
  'EINVAL',
]);

export type EntryKind = 'file' | 'folder' | 'other';

/**
 * An open folder that an agent may have written, and the only way in which this host looks into
 * one. What is below it is named by single names and never followed: on Linux the kernel goes on
 * from the open folder (`/proc/self/fd/N`), so that nothing which is swapped meanwhile matters.
 * Elsewhere the path is used, with the same refusals: only once no writer is left.
 * Names are one character for each byte, so that one which is no UTF-8 is an entry like any other.
 */
export class FolderHandle {
  readonly #handle: FileHandle;
  readonly #base: string;

  private constructor(handle: FileHandle, path: string) {
    this.#handle = handle;
    this.#base = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path;
  }

  /** A folder whose parents no agent could write; null when no folder is there. */
  static async open(path: string | Buffer): Promise<FolderHandle | null> {
    const handle = await orNull(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK));
    return handle === null ? null : new FolderHandle(handle, path.toString());
  }

  /** A folder in this one; null when the name stands for anything else or is closed to us. */
  async folder(name: string): Promise<FolderHandle | null> {
    return FolderHandle.open(this.#at(name));
  }

  /** A folder in this one, made when the name is free; null when something else has the name. */
  async makeFolder(name: string, identity: WorkIdentity = null): Promise<FolderHandle | null> {
    const made = await mkdir(this.#at(name), { mode: 0o700 }).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return false;
        throw error;
      },
    );
    if (made) await this.own(name, identity);
    return this.folder(name);
  }

  /** A plain file for reading; null for a link, a pipe, a device and whatever else is no file. */
  async openFile(name: string): Promise<FileHandle | null> {
    const file = await orNull(open(this.#at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
    if (file === null || (await file.stat()).isFile()) return file;
    await file.close();
    return null;
  }

  /** A new file for writing; throws EEXIST when anything has the name. */
  async createFile(name: string): Promise<FileHandle> {
    return open(this.#at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  }

  /** What the name stands for, links themselves; null for nothing. */
  async stat(name: string): Promise<Stats | null> {
    return orNull(lstat(this.#at(name)));
  }

  /** What a link says, not followed; null for anything else. */
  async linkTarget(name: string): Promise<string | null> {
    return orNull(readlink(this.#at(name), { encoding: 'latin1' }));
  }

  /** For a process that goes on from the open folder. */
  get descriptor(): number {
    return this.#handle.fd;
  }

  /** Of the folder itself. */
  async ownStat(): Promise<Stats> {
    return this.#handle.stat();
  }

  /** Gives what has the name to whom containers run as; a link itself, never what it names. */
  async own(name: string, identity: WorkIdentity): Promise<void> {
    if (identity !== null) await lchown(this.#at(name), identity.uid, identity.gid);
  }

  /** The same for the folder itself. */
  async ownSelf(identity: WorkIdentity): Promise<void> {
    if (identity !== null) await this.#handle.chown(identity.uid, identity.gid);
  }

  /** Removes what has the name and all that is in it; links are not followed. */
  async remove(name: string): Promise<void> {
    await rm(this.#at(name), { recursive: true, force: true });
  }

  /** What is in it, in no order. */
  async *entries(): AsyncGenerator<{ name: string; kind: EntryKind }> {
    for await (const entry of await opendir(this.#base, { encoding: 'latin1' })) {
      const kind = entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'other';
      yield { name: entry.name, kind };
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  /** One name of this folder: whatever could lead elsewhere is a mistake of ours. */
  #at(name: string): Buffer {
    if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0'))
      throw new Error(`${JSON.stringify(cutText(name, 80))} is not the name of an entry`);
    return Buffer.concat([Buffer.from(`${this.#base}/`), Buffer.from(name, 'latin1')]);
  }
}

async function orNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if (NOT_THERE.has((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
