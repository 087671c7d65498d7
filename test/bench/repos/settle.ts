import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const TIMEOUT_MS = 10 * 60_000;

/** Waits until what was written is on the folder's disk, so that the next measurement does not pay for it. */
export async function settle(folder: string): Promise<void> {
  const args = process.platform === 'linux' ? ['-f', folder] : [];
  await promisify(execFile)('sync', args, { timeout: TIMEOUT_MS });
}
