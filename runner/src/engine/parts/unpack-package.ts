import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const UNPACK_TIMEOUT_MS = 5 * 60_000;

export type UnpackOptions = {
  /** The part of the archive to unpack. */
  member: string;
  /** Number of leading folders that are removed from the paths. */
  strip: number;
  leaveOut?: readonly string[];
  signal?: AbortSignal;
};

/** Unpacks a package's archive, or a part of it, into a folder. */
export async function unpackPackage(
  archive: string,
  folder: string,
  { member, strip, leaveOut = [], signal }: UnpackOptions,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const exclude = leaveOut.map((path) => `--exclude=${path}`);
  const args = ['-xzf', archive, '-C', folder, `--strip-components=${strip}`, ...exclude, member];
  await run('tar', args, {
    timeout: UNPACK_TIMEOUT_MS,
    ...(signal === undefined ? {} : { signal }),
  });
}
