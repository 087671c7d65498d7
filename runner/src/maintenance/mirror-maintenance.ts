import { messageOf } from '@switchyard/shared/message-of';
import { readdir } from 'node:fs/promises';
import { type Clock, sleep } from '../connection/clock.ts';
import type { Log } from '../log.ts';
import { containedPath } from '../workspace/disk/contained-path.ts';
import type { Workspaces } from '../workspace/open-workspaces.ts';
import { collectGarbage } from '../workspace/mirror/collect-garbage.ts';
import { countObjects } from '../workspace/mirror/count-objects.ts';
import { pruneObjects } from '../workspace/lfs/prune-objects.ts';
import { repackMirror } from '../workspace/mirror/repack-mirror.ts';

const CHECK_EVERY_MS = 5 * 60_000;
/** How long a mirror is left alone after its maintenance failed: a failing try may cost minutes. */
const RETRY_AFTER_MS = 6 * 3_600_000;
/** A mirror with more is repacked; while attempts run, only one with many more. */
const MAX_WHEN_IDLE = { packs: 20, looseObjects: 1_000 };
const MAX_WHEN_BUSY = { packs: 100, looseObjects: 10_000 };

export type MirrorMaintenanceDeps = {
  workspaces: Workspaces;
  clock: Clock;
  log: Log;
  /** Whether no attempt runs on this machine. */
  isIdle: () => boolean;
};

/**
 * Repacks the mirrors of a runner and collects their garbage, one mirror at a time; fetches do
 * neither.
 */
export class MirrorMaintenance {
  readonly #deps: MirrorMaintenanceDeps;
  readonly #notBeforeMs = new Map<string, number>();

  constructor(deps: MirrorMaintenanceDeps) {
    this.#deps = deps;
  }

  /**
   * Checks every five minutes until the signal aborts; resolves when none of its git processes
   * runs.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    while (!signal.aborted) {
      await sleep(clock, CHECK_EVERY_MS, signal);
      if (!signal.aborted) await this.runOnce(signal);
    }
  }

  /** Maintains every mirror once, except one that failed recently. A failure is logged. */
  async runOnce(signal: AbortSignal): Promise<void> {
    const { workspaces, clock, log } = this.#deps;
    const { mirrors } = workspaces.paths;
    const names = await readdir(mirrors).catch((error: unknown) => {
      log.warn('mirrors cannot be listed', { why: messageOf(error) });
      return [];
    });
    for (const name of names) {
      if (signal.aborted) return;
      if (clock.monotonicMs() < (this.#notBeforeMs.get(name) ?? 0)) continue;
      try {
        const { path, exists } = await containedPath(mirrors, name);
        if (exists) await this.#maintain(path, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#notBeforeMs.set(name, clock.monotonicMs() + RETRY_AFTER_MS);
        log.warn('maintenance of a mirror failed', { mirror: name, why: messageOf(error) });
      }
    }
  }

  async #maintain(path: string, signal: AbortSignal): Promise<void> {
    const { workspaces, clock, isIdle } = this.#deps;
    const { packs, looseObjects } = await countObjects(path);
    const most = isIdle() ? MAX_WHEN_IDLE : MAX_WHEN_BUSY;
    if (packs > most.packs || looseObjects > most.looseObjects)
      await repackMirror(workspaces, path, signal);
    const nowMs = clock.nowMs();
    if (isIdle() && (await collectGarbage(workspaces, path, { nowMs, signal })))
      await pruneObjects(workspaces, path, nowMs);
  }
}
