/** Containers whose last sample is kept; the oldest is dropped first. */
const MAX_KEPT = 256;

/**
 * Converts increasing totals of processor time into percent of one processor between two samples.
 */
export class CpuRate {
  readonly #last = new Map<string, { cpuMs: number; atMs: number }>();

  /** The percentage; null for the first sample of `key`, and when no time has passed. */
  percent(key: string, sample: { cpuMs: number; atMs: number }): number | null {
    const before = this.#last.get(key);
    this.#last.delete(key);
    this.#last.set(key, sample);
    const [oldest] = this.#last.keys();
    if (this.#last.size > MAX_KEPT && oldest !== undefined) this.#last.delete(oldest);
    if (before === undefined || sample.atMs <= before.atMs) return null;
    // The total falls when processes end, because their time is no longer included.
    const usedMs = Math.max(0, sample.cpuMs - before.cpuMs);
    return (100 * usedMs) / (sample.atMs - before.atMs);
  }
}
