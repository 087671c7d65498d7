import { statfs } from 'node:fs/promises';
import { messageOf } from '../connection/log.ts';
import { workspaceUsage } from '../workspace/workspace-usage.ts';
import type { AttemptContext } from './attempt-deps.ts';
import { AttemptFailed } from './attempt-end.ts';
import type { Watch } from './egress-watch.ts';

const CHECK_MS = 5_000;
/** A walk that takes long is made less often: it takes a tenth of the time at most. */
const PAUSE_PER_WALK = 10;
const MAX_ENTRIES = 2_000_000;
/** With less room than this on the host, whoever uses much has to go. */
const MIN_FREE_BYTES = 512 * 1024 * 1024;
const MUCH_BYTES = 1024 ** 3;

/**
 * Ends the attempt when what it may write (workspace, engine home) takes more than its share, or
 * much of it while the host's disk is nearly full. Docker's drivers mostly have no quota of their own.
 */
export function watchDisk(context: AttemptContext, folders: readonly string[]): Watch {
  const { deps, spec, ref, control } = context;
  const limitBytes = spec.sandbox.diskBytes ?? Number.POSITIVE_INFINITY;
  const stopped = new AbortController();
  let cancel: () => void = () => undefined;

  const look = async (): Promise<void> => {
    const usedBytes = await usedBy(folders, stopped.signal);
    if (stopped.signal.aborted || control.signal.aborted) return;
    const freeBytes = await freeBytesOf(deps.dataDir);
    const isFull = freeBytes < MIN_FREE_BYTES && usedBytes > MUCH_BYTES;
    if (usedBytes <= limitBytes && !isFull) return;
    const message = isFull
      ? `the host's disk is nearly full and this attempt uses ${mebibytes(usedBytes)} of it`
      : `the attempt uses ${mebibytes(usedBytes)} of disk, more than its ${mebibytes(limitBytes)}`;
    await context.recorder.event('limit_exceeded', { limit: 'disk', message });
    // No budget that somebody raises: those issues go on by themselves, and this one would for ever.
    control.stop({ kind: 'limit', failure: new AttemptFailed('agent_error', message) });
  };
  const again = (pauseMs: number): void => {
    cancel = deps.clock.after(pauseMs, () => {
      const startedMs = deps.clock.monotonicMs();
      look()
        .catch((error: unknown) =>
          deps.log.warn('disk use was not measured', { ...ref, error: messageOf(error) }),
        )
        .finally(() => {
          const tookMs = deps.clock.monotonicMs() - startedMs;
          if (!stopped.signal.aborted) again(Math.max(CHECK_MS, tookMs * PAUSE_PER_WALK));
        });
    });
  };
  again(CHECK_MS);
  return {
    async end() {
      stopped.abort();
      cancel();
    },
  };
}

async function usedBy(folders: readonly string[], signal: AbortSignal): Promise<number> {
  let bytes = 0;
  for (const folder of folders) {
    bytes += (await workspaceUsage(folder, { maxEntries: MAX_ENTRIES, signal })).diskBytes;
  }
  return bytes;
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MiB`;
}
