import { cutText } from '@switchyard/shared/text/cut-text';
import { type Stats, constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lchown, lstat, mkdir, open, opendir, readlink, rm } from 'node:fs/promises';
import type { WorkIdentity } from '../container/container-engine.ts';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
/**
 * Error codes that count as "not there": an agent may have left nothing, a link, a pipe or
 * something unreadable under the name.
 */
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
 * An open folder that an agent may have written, and the only way in which this host accesses one.
 * Entries are addressed by single names and links are never followed: on Linux access goes through
 * the open folder (`/proc/self/fd/N`), so that concurrent replacements do not matter. Elsewhere the
 * path is used with the same checks, and only once no writer is left. Names have one character for
 * each byte, so that invalid UTF-8 is supported.
 */
export class FolderHandle {
  readonly #handle: FileHandle;
  readonly #base: string;

  private constructor(handle: FileHandle, path: string) {
    this.#handle = handle;
    this.#base = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path;
  }

  /** Opens a folder whose parents no agent could write; null when there is none. */
  static async open(path: string | Buffer): Promise<FolderHandle | null> {
    const handle = await orNull(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK));
    return handle === null ? null : new FolderHandle(handle, path.toString());
  }

  /** Opens a subfolder; null when the name is anything else or unreadable. */
  async folder(name: string): Promise<FolderHandle | null> {
    return FolderHandle.open(this.#at(name));
  }

  /** Opens a subfolder, created if missing; null when the name is anything else. */
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

  /** Opens a regular file for reading; null for anything else. */
  async openFile(name: string): Promise<FileHandle | null> {
    const file = await orNull(open(this.#at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
    if (file === null || (await file.stat()).isFile()) return file;
    await file.close();
    return null;
  }

  /** Creates a file for writing; throws EEXIST when the name exists. */
  async createFile(name: string): Promise<FileHandle> {
    return open(this.#at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  }

  /** The entry's status, of a link itself; null when there is none. */
  async stat(name: string): Promise<Stats | null> {
    return orNull(lstat(this.#at(name)));
  }

  /** A link's target without following it; null for anything else. */
  async linkTarget(name: string): Promise<string | null> {
    return orNull(readlink(this.#at(name), { encoding: 'latin1' }));
  }

  /** Descriptor, for a process that accesses the open folder. */
  get descriptor(): number {
    return this.#handle.fd;
  }

  /** Status of the folder itself. */
  async ownStat(): Promise<Stats> {
    return this.#handle.stat();
  }

  /** Gives an entry to the user of containers; a link itself, never its target. */
  async own(name: string, identity: WorkIdentity): Promise<void> {
    if (identity !== null) await lchown(this.#at(name), identity.uid, identity.gid);
  }

  /** As `own`, for the folder itself. */
  async ownSelf(identity: WorkIdentity): Promise<void> {
    if (identity !== null) await this.#handle.chown(identity.uid, identity.gid);
  }

  /** Removes an entry with all its content; links are not followed. */
  async remove(name: string): Promise<void> {
    await rm(this.#at(name), { recursive: true, force: true });
  }

  /** The entries in no order. */
  async *entries(): AsyncGenerator<{ name: string; kind: EntryKind }> {
    for await (const entry of await opendir(this.#base, { encoding: 'latin1' })) {
      const kind = entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'other';
      yield { name: entry.name, kind };
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  /** The name of an entry; throws on any name that could lead elsewhere. */
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
