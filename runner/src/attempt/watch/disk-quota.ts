import { messageOf } from '@switchyard/shared/message-of';
import type { AttemptContext } from '../attempt-deps.ts';
import { AttemptFailed } from '../attempt-end.ts';
import { type DiskUse, diskGaugeOf } from './disk-gauge.ts';
import type { Companion } from '../companions/companion.ts';
import type { EnginePlace } from '../companions/engine-place.ts';
import { type FreeRoom, hasFewEntries } from '../../workspace/disk/free-room.ts';

const CHECK_MS = 5_000;
/** Slow measurements run less often: they take at most a tenth of the time. */
const PAUSE_PER_WALK = 10;
/** With less free space than this on the host, attempts with much usage are ended. */
const MIN_FREE_BYTES = 512 * 1024 * 1024;
const MIN_FREE_ENTRIES = { entries: 100_000, part: 0.02 };
const MUCH_BYTES = 1024 ** 3;
const MUCH_ENTRIES = 100_000;
/** Tests may make a folder unreadable briefly; one that stays so hides its content. */
const MAX_HIDDEN_LOOKS = 4;

/** Disk limits of an attempt. */
type DiskLimits = { bytes: number; entries: number };

/**
 * Ends the attempt when its files (workspace, engine home) exceed its limit, or use much while the
 * host's disk is nearly full. Docker's storage drivers mostly have no quota.
 */
export function watchDiskQuota(context: AttemptContext): Companion {
  let stop = (): Promise<void> => Promise.resolve();
  return {
    name: 'the measurement of disk use',
    containerRuns(place) {
      stop = measureUse(context, place);
    },
    engineEnded: () => stop(),
  };
}

/** Measures until the function that it returns is called. */
function measureUse(
  context: AttemptContext,
  { workspace, home }: Pick<EnginePlace, 'workspace' | 'home'>,
): () => Promise<void> {
  const { deps, spec, ref, control } = context;
  const { diskBytes, diskEntries } = spec.sandbox;
  const limits: DiskLimits = { bytes: diskBytes ?? Infinity, entries: diskEntries ?? Infinity };
  const gauge = diskGaugeOf(context, workspace, home);
  const stopped = new AbortController();
  let cancel: () => void = () => undefined;
  let hiddenLooks = 0;

  const check = async (): Promise<void> => {
    const use = await gauge.measure(stopped.signal);
    if (stopped.signal.aborted || control.signal.aborted) return;
    deps.usages?.report(workspace.path, use.workspaceBytes, deps.clock.nowMs());
    hiddenLooks = use.isHidden ? hiddenLooks + 1 : 0;
    const room = await deps.disk.freeRoom(deps.settings.dataDir);
    const found = objectionTo(use, { limits, room, isHidden: hiddenLooks >= MAX_HIDDEN_LOOKS });
    if (found === null) return;
    await context.recorder.event('limit_exceeded', found);
    // Not reported as a budget: such issues resume by themselves, and this one would fail again.
    control.stop({ kind: 'limit', failure: new AttemptFailed('agent_error', found.message) });
  };
  const again = (pauseMs: number): void => {
    cancel = deps.clock.after(pauseMs, () => {
      const startedMs = deps.clock.monotonicMs();
      check()
        .catch((error: unknown) => {
          if (stopped.signal.aborted) return;
          deps.log.warn('disk use was not measured', { ...ref, error: messageOf(error) });
        })
        .finally(() => {
          const tookMs = deps.clock.monotonicMs() - startedMs;
          if (!stopped.signal.aborted) again(Math.max(CHECK_MS, tookMs * PAUSE_PER_WALK));
        });
    });
  };
  again(CHECK_MS);
  return async () => {
    stopped.abort();
    cancel();
    deps.usages?.forget(workspace.path);
    await gauge.end();
  };
}

/** The exceeded limit with a message; null when none is exceeded. */
export function objectionTo(
  use: DiskUse,
  at: { limits: DiskLimits; room: FreeRoom; isHidden: boolean },
): { limit: string; message: string } | null {
  const { limits, room } = at;
  const size = `${mebibytes(use.bytes)} in ${use.entries} files and folders`;
  if (use.entries > limits.entries) {
    const message = `the attempt has ${use.entries} files and folders, more than its ${limits.entries} (engine.sandbox.resources, diskEntries)`;
    return { limit: 'disk_entries', message };
  }
  if (use.bytes > limits.bytes) {
    const message = `the attempt uses ${mebibytes(use.bytes)} of disk, more than its ${mebibytes(limits.bytes)}`;
    return { limit: 'disk', message };
  }
  const fewBytes = room.bytes < MIN_FREE_BYTES && use.bytes > MUCH_BYTES;
  if (fewBytes || (hasFewEntries(room, MIN_FREE_ENTRIES) && use.entries > MUCH_ENTRIES)) {
    const message = `the host's disk is nearly full and this attempt uses ${size} of it`;
    return { limit: 'disk', message };
  }
  if (at.isHidden && Number.isFinite(limits.bytes + limits.entries)) {
    const message =
      'part of what the attempt wrote cannot be measured: folders that stay closed to their owner, or nested without end';
    return { limit: 'disk', message };
  }
  return null;
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MiB`;
}
