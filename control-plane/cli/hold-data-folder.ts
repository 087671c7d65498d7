import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { FolderHeld } from '@switchyard/shared/host/folder-holder';
import {
  type FolderHold,
  holderOf,
  holdFolder,
  requireFree,
} from '@switchyard/shared/host/hold-folder';
import { hasLockFile } from '@switchyard/shared/host/folder-lock';
import { messageOf } from '@switchyard/shared/message-of';
import { requireKnownMigrations } from '../src/platform/node/backup/migration-state.ts';
import { DatabaseInUse, requireUnused } from '../src/platform/node/backup/restore-backup.ts';
import { DATABASE_FILE } from '../src/platform/node/backup/take-backup.ts';
import type { Logger } from '../src/ports/ports.ts';

const openLock = (path: string) => new Database(path, { timeout: 0 });

/**
 * Acquires a data folder for this command. Throws FolderHeld, with what to do, while another
 * process holds it.
 */
export async function holdDataFolder(folder: string, command: string): Promise<FolderHold> {
  if (!hasLockFile(folder)) await requireNoFormerService(folder);
  return holdFolder(folder, { command: `switchyard ${command}`, openLock });
}

/**
 * Throws while a service of a version without folder locks has the database open. Problems with the
 * file itself are reported when it is opened later, and a newer version's file is not changed.
 */
async function requireNoFormerService(folder: string): Promise<void> {
  // Without this file nobody has the database open, and opening it here would change the folder.
  if (!existsSync(join(folder, `${DATABASE_FILE}-shm`))) return;
  try {
    await requireUnused(folder, (state) => requireKnownMigrations(state, folder));
  } catch (error) {
    if (error instanceof DatabaseInUse) throw new FolderHeld(folder, null, { host: hostname() });
  }
}

/** Throws FolderHeld while another process holds the data folder. */
export function requireFolderFree(folder: string): Promise<void> {
  return requireFree(folder, { openLock });
}

/**
 * Address at which the process that holds the data folder serves: null when none serves it,
 * undefined when that cannot be determined, as with a holder in a container or another user's
 * folder.
 */
export function servedAt(folder: string): string | null | undefined {
  try {
    const holder = holderOf(folder, { openLock });
    return holder === null || holder.host === hostname() ? (holder?.address ?? null) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a service has used this folder, of a version that would hold it if it still ran. */
export function isOfService(folder: string): boolean {
  return hasLockFile(folder) && existsSync(join(folder, DATABASE_FILE));
}

/**
 * Throws FolderHeld while a runner without a supervisor uses the folder: a runner beside a control
 * plane would wait for it. A runner that lost its control plane ends by itself.
 */
export async function requireNoRunnerOfItsOwn(folder: string): Promise<void> {
  try {
    await requireFolderFree(folder);
  } catch (error) {
    if (!(error instanceof FolderHeld) || error.holder?.keeperPid === null) throw error;
  }
}

/**
 * Resolves, after logging the reason, when another process has acquired the folder although this
 * one is alive.
 */
export function untilLost(lost: AbortSignal, logger: Logger): Promise<'lost'> {
  return new Promise((resolve) => {
    const notice = () => {
      const why = messageOf(lost.reason);
      logger.error('this service ends: another process has its data folder', { error: why });
      resolve('lost');
    };
    if (lost.aborted) notice();
    else lost.addEventListener('abort', notice, { once: true });
  });
}

/** Runs `work` while holding the data folder. */
export async function whileHolding<T>(
  folder: string,
  command: string,
  work: () => Promise<T>,
): Promise<T> {
  const hold = await holdDataFolder(folder, command);
  try {
    return await work();
  } finally {
    hold.release();
  }
}
