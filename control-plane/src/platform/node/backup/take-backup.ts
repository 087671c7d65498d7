import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';

/** Timeout for a copy: enough for tens of gigabytes on a slow disk. */
const COPY_TIMEOUT_MS = 600_000;
const Copied = z.object({ bytes: z.number(), sha256: z.string() });

/** A copy of the database on disk. */
export type Backup = { path: string; bytes: number; sha256: string; takenAt: string };

/** Suffix of a copy that is not complete yet. */
export const PARTIAL = '.partial';

export const DATABASE_FILE = 'switchyard.db';

/** Where backups of a data folder are kept. */
export function backupFolder(dataDir: string): string {
  return join(dataDir, 'backups');
}

/**
 * Makes a consistent copy of a data folder's database, also while a service uses it. `label`
 * becomes part of the file name.
 */
export async function takeBackup(input: {
  dataDir: string;
  nowMs: number;
  label?: string;
}): Promise<Backup> {
  const takenAt = new Date(input.nowMs).toISOString();
  const name = `${['switchyard', input.label, takenAt.replace(/[:.]/g, '-')]
    .filter((part) => part !== undefined)
    .join('-')}.db`;
  const folder = backupFolder(input.dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  // Renamed only when complete, because the process may be killed at any time.
  const partial = path + PARTIAL;
  try {
    await rm(partial, { force: true });
    const copied = await copy(join(input.dataDir, DATABASE_FILE), partial);
    await rename(partial, path);
    return { path, takenAt, ...copied };
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

function copy(from: string, to: string): Promise<z.infer<typeof Copied>> {
  const worker = new Worker(new URL('./copy-database.ts', import.meta.url), {
    workerData: { from, to },
  });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`the copy took longer than ${COPY_TIMEOUT_MS / 60_000} minutes`));
      void worker.terminate();
    }, COPY_TIMEOUT_MS);
    worker.once('message', (message: unknown) => resolve(Copied.parse(message)));
    worker.once('error', reject);
    worker.once('exit', () => {
      clearTimeout(timer);
      reject(new Error('the copy ended early'));
    });
  });
}
