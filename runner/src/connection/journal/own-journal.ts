import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { sleep } from '../clock.ts';
import { Journal, JournalInUse } from './journal.ts';
import type { Log } from '../log.ts';

const POLL_MS = 500;
/** A former process that is told to stop ends its attempts within this. */
const STOP_WAIT_MS = 7_000;

type Options = {
  dataDir: string;
  /** Wait for a former process of this runner instead of throwing JournalInUse. */
  mayWait: boolean;
  /** Aborts when the control plane that started this process is gone: nobody needs it then. */
  orphaned?: AbortSignal | undefined;
  clock: Clock;
  log: Log;
};

/**
 * Opens the journal of a data folder. A runner that lost its control plane to a crash still has
 * attempts to end, and the next one waits for it; told to stop meanwhile, it passes that on and
 * answers null. Orphaned meanwhile it answers null and leaves the former one its attempts.
 */
export async function openOwnJournal(options: Options, stop: AbortSignal): Promise<Journal | null> {
  const { dataDir, mayWait, orphaned, clock, log } = options;
  const ended = orphaned === undefined ? stop : AbortSignal.any([stop, orphaned]);
  for (let tries = 0; !ended.aborted; tries += 1) {
    const journal = tryOpen(dataDir, mayWait);
    if (journal !== null) {
      await writeFile(pidPath(dataDir), `${process.pid}\n`, { mode: 0o600 });
      return journal;
    }
    if (tries === 0) log.warn('a former runner process still ends its attempts; waiting for it');
    await sleep(clock, POLL_MS, ended);
  }
  if (stop.aborted) await stopFormer(options);
  else log.warn('the control plane that started this runner is gone; it never began');
  return null;
}

function tryOpen(dataDir: string, mayWait: boolean): Journal | null {
  try {
    return new Journal(join(dataDir, 'journal.db'));
  } catch (error) {
    if (error instanceof JournalInUse && mayWait) return null;
    throw error;
  }
}

function pidPath(dataDir: string): string {
  return join(dataDir, 'runner.pid');
}

function terminate(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    // It ended by itself in this very moment.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The journal's lock proves that who wrote the pid file is alive. */
async function stopFormer({ dataDir, clock, log }: Options): Promise<void> {
  const text = await readFile(pidPath(dataDir), 'utf8').catch(() => '');
  const pid = Number(text.trim());
  if (!Number.isInteger(pid) || pid <= 1 || pid === process.pid) return;
  const endMs = clock.monotonicMs() + STOP_WAIT_MS;
  for (let told = false; clock.monotonicMs() < endMs;) {
    const journal = tryOpen(dataDir, true);
    if (journal !== null) return journal.close();
    if (!told) {
      log.info('stopping the former runner process', { pid });
      terminate(pid);
      told = true;
    }
    await sleep(clock, POLL_MS);
  }
}
