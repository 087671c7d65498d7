import { setTimeout as delay } from 'node:timers/promises';
import { FolderHeld } from '@switchyard/shared/host/folder-holder';
import { type FolderHold, holdFolder } from '@switchyard/shared/host/hold-folder';

const POLL_MS = 250;

/**
 * Runs `work` while locking `folder` against other processes. `waiting` is called once when another
 * process holds the lock. Rejects with the signal's reason when that aborts during the wait.
 */
export async function holdFolderLock<T>(
  folder: string,
  { signal, waiting }: { signal: AbortSignal; waiting: () => void },
  work: () => Promise<T>,
): Promise<T> {
  let hold = await tryHold(folder);
  if (hold === null) waiting();
  while (hold === null) {
    // The wait is unlimited: the holder's work is limited, and the lock ends with its process.
    await delay(POLL_MS, null, { signal });
    hold = await tryHold(folder);
  }
  try {
    signal.throwIfAborted();
    return await work();
  } finally {
    hold.release();
  }
}

async function tryHold(folder: string): Promise<FolderHold | null> {
  // Imported only here: without its native package this ends with a message.
  const { openLock } = await import('../../connection/journal/open-lock.ts');
  try {
    return await holdFolder(folder, { command: 'what a runner installs', openLock });
  } catch (error) {
    if (error instanceof FolderHeld) return null;
    throw error;
  }
}
