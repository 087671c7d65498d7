import { hostname } from 'node:os';
import { FolderHeld } from '@switchyard/shared/host/folder-holder';
import { type FolderHold, holdFolder, requireFree } from '@switchyard/shared/host/hold-folder';
import { processLives } from '@switchyard/shared/host/process-lives';
import type { Clock } from '../clock.ts';
import { sleep } from '../clock.ts';
import type { Log } from '../../log.ts';
import { openLock } from './open-lock.ts';

const POLL_MS = 500;
/** Time in which a former process that is stopped ends its attempts. */
const STOP_WAIT_MS = 7_000;

type Options = {
  dataDir: string;
  /** The control plane that started this process, and restarts it when it ends. */
  keeperPid?: number | undefined;
  /** Aborts when that control plane has ended, so that this process is not needed. */
  orphaned?: AbortSignal | undefined;
  clock: Clock;
  log: Log;
};

/**
 * Locks the data folder for this runner. Throws FolderHeld while another runner holds it. A runner
 * started by a control plane instead waits for its predecessor, whose control plane crashed and
 * which still ends its attempts. A stop during the wait is passed on to the predecessor, and the
 * result is null; if orphaned, it is null as well.
 */
export async function holdOwnFolder(
  options: Options,
  stop: AbortSignal,
): Promise<FolderHold | null> {
  const { orphaned, clock, log } = options;
  const ended = orphaned === undefined ? stop : AbortSignal.any([stop, orphaned]);
  for (let tries = 0; !ended.aborted; tries += 1) {
    const held = await tryHold(options);
    if (!(held instanceof FolderHeld)) return held;
    if (options.keeperPid === undefined || isOnItsOwn(held)) throw held;
    if (tries === 0) log.warn('a former runner process still ends its attempts; waiting for it');
    await sleep(clock, POLL_MS, ended);
  }
  if (stop.aborted) await stopFormer(options);
  else log.warn('the control plane that started this runner is gone; it never began');
  return null;
}

/** Throws FolderHeld while a runner uses the data folder, which need not exist yet. */
export function requireOwnFolderFree(dataDir: string): Promise<void> {
  return requireFree(dataDir, { openLock });
}

async function tryHold({ dataDir, keeperPid }: Options): Promise<FolderHold | FolderHeld> {
  const command = keeperPid === undefined ? 'switchyard runner' : 'the runner of a control plane';
  try {
    return await holdFolder(dataDir, { command, keeperPid: keeperPid ?? null, openLock });
  } catch (error) {
    if (error instanceof FolderHeld) return error;
    throw error;
  }
}

function isOnItsOwn({ holder }: FolderHeld): boolean {
  return holder !== null && holder.keeperPid === null;
}

/** Sends SIGTERM; without effect on a process that has ended or belongs to another user. */
function requestStop(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

/** Whether the holder must be left alone: no control plane keeps it, or another living one does. */
function isKept({ holder }: FolderHeld, keeperPid: number | undefined): boolean {
  const keeper = holder?.keeperPid ?? null;
  return keeper === null || (keeper !== keeperPid && processLives(keeper));
}

/**
 * Stops the former process: the lock proves that the writer of its process id is alive. One with a
 * live control plane is left alone.
 */
async function stopFormer(options: Options): Promise<void> {
  const { clock, log } = options;
  const endMs = clock.monotonicMs() + STOP_WAIT_MS;
  for (let isAsked = false; clock.monotonicMs() < endMs;) {
    const held = await tryHold(options);
    if (!(held instanceof FolderHeld)) return held.release();
    if (held.holder?.host !== hostname() || isKept(held, options.keeperPid)) return;
    const { pid } = held.holder;
    if (!isAsked) {
      log.info('stopping the former runner process', { pid });
      requestStop(pid);
      isAsked = true;
    }
    await sleep(clock, POLL_MS);
  }
}
