import { setTimeout as delay } from 'node:timers/promises';
import type { AttemptTrace, FindTraces } from './attempt-trace.ts';

const SAMPLE_MS = 150;

/** When something of an attempt was seen to run, epoch milliseconds. */
export type Sighting = { firstMs: number; lastMs: number };

/** Looks at what runs on this host all the time: no attempt may be run by two at once. */
export class OverlapWatch {
  readonly #runnerIds: ReadonlySet<string>;
  readonly #overlaps = new Map<string, string>();
  readonly #find: FindTraces;
  readonly #sightings = new Map<string, Sighting>();
  #seen: AttemptTrace[] = [];
  #stopped = false;
  #done: Promise<void> = Promise.resolve();

  constructor(find: FindTraces, runnerIds: ReadonlySet<string>) {
    this.#find = find;
    this.#runnerIds = runnerIds;
  }

  start(): void {
    this.#done = this.#watch();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
  }

  /** In words, once for each pair of leases. */
  get overlaps(): string[] {
    return [...this.#overlaps.values()];
  }

  /** By attempt: when it was seen first and last. */
  get sightings(): ReadonlyMap<string, Sighting> {
    return this.#sightings;
  }

  /** Engines that ran when it looked last. */
  get engines(): readonly AttemptTrace[] {
    return this.#seen.filter(({ isEngine }) => isEngine);
  }

  async #watch(): Promise<void> {
    while (!this.#stopped) {
      const beganMs = Date.now();
      this.#seen = (await this.#find(this.#runnerIds)).filter(({ isRunning }) => isRunning);
      this.#note(beganMs, Date.now());
      await this.#compare();
      await delay(SAMPLE_MS);
    }
  }

  /** A look takes some time, in which one may end and the next begin: that is no overlap. */
  #note(beganMs: number, endedMs: number): void {
    for (const { attemptId } of this.#seen) {
      const firstMs = this.#sightings.get(attemptId)?.firstMs ?? endedMs;
      this.#sightings.set(attemptId, { firstMs, lastMs: beganMs });
    }
  }

  async #compare(): Promise<void> {
    const byAttempt = Map.groupBy(this.#seen, ({ attemptId }) => attemptId);
    for (const processes of byAttempt.values()) {
      const [first, ...others] = processes;
      for (const other of others) {
        if (first === undefined) continue;
        const twins = first.isEngine && other.isEngine;
        if (other.lease === first.lease && !twins) continue;
        await this.#confirm(first, other);
      }
    }
  }

  /** A table is read over some time: only two that still live afterwards lived together. */
  async #confirm(one: AttemptTrace, other: AttemptTrace): Promise<void> {
    if (!(await one.livesOn()) || !(await other.livesOn())) return;
    const name = `${one.lease} ${other.lease}`;
    if (this.#overlaps.has(name)) return;
    const at = new Date().toISOString();
    this.#overlaps.set(name, `${at}: ${told(one)} and ${told(other)}`);
  }
}

function told({ lease, words }: AttemptTrace): string {
  return `${lease} (${words})`;
}
