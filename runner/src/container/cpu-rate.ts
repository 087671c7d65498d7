/** Containers whose last sample is kept; the oldest goes first. */
const MAX_KEPT = 256;

/** Turns growing totals of processor time into percent of one processor between two samples. */
export class CpuRate {
  readonly #last = new Map<string, { cpuMs: number; atMs: number }>();

  /** Null for the first sample of `key`, and when no time has passed. */
  percent(key: string, sample: { cpuMs: number; atMs: number }): number | null {
    const before = this.#last.get(key);
    this.#last.delete(key);
    this.#last.set(key, sample);
    const [oldest] = this.#last.keys();
    if (this.#last.size > MAX_KEPT && oldest !== undefined) this.#last.delete(oldest);
    if (before === undefined || sample.atMs <= before.atMs) return null;
    // Processes that ended take their time with them.
    const usedMs = Math.max(0, sample.cpuMs - before.cpuMs);
    return (100 * usedMs) / (sample.atMs - before.atMs);
  }
}
