import { messageOf } from '@switchyard/shared/message-of';
import type { Load } from '../../connection/attempt-port.ts';
import type { Clock } from '../../connection/clock.ts';
import type { Log } from '../../log.ts';
import type { ContainerEngine, ContainerName } from '../../container/container-engine.ts';

const SAMPLE_TIMEOUT_MS = 5_000;
/** Processor use is a rate, so the first value needs this time. */
const FIRST_RATE_MS = 2_000;

/**
 * Resource usage of attempts. A read returns the previous sample at once and takes the next one in
 * the background, one at a time, so that a hanging daemon delays nothing.
 */
export class LoadGauge {
  readonly #containers: ContainerEngine;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #known: () => void;
  #last: Load = {};
  #sampling = false;

  /** `known`: called when a new container's first values are known. */
  constructor(deps: { containers: ContainerEngine; log: Log; clock: Clock }, known: () => void) {
    this.#containers = deps.containers;
    this.#log = deps.log;
    this.#clock = deps.clock;
    this.#known = known;
  }

  /** The last samples of those in `running` that have one. */
  read(running: readonly ContainerName[]): Load {
    const ids = new Set(running.map(({ owner }) => owner.attemptId));
    const known = Object.entries(this.#last).filter(([attemptId]) => ids.has(attemptId));
    this.#sample(running).catch((error: unknown) =>
      this.#log.warn('the load was not measured', { error: messageOf(error) }),
    );
    return Object.fromEntries(known);
  }

  /** Measures a new container at once, so that its load is reported within seconds. */
  follow(container: ContainerName): void {
    const first = async () => {
      await this.#one(container);
      this.#clock.after(FIRST_RATE_MS, () => void second());
    };
    const second = async () => {
      const entry = await this.#one(container);
      if (entry === null) return;
      this.#last = { ...this.#last, [entry[0]]: entry[1] };
      this.#known();
    };
    if (this.#containers.stats !== undefined) void first();
  }

  async #sample(running: readonly ContainerName[]): Promise<void> {
    if (this.#sampling || this.#containers.stats === undefined) return;
    this.#sampling = true;
    try {
      const entries = await Promise.all(running.map((container) => this.#one(container)));
      this.#last = Object.fromEntries(entries.filter((entry) => entry !== null));
    } finally {
      this.#sampling = false;
    }
  }

  async #one(container: ContainerName): Promise<[string, Load[string]] | null> {
    let cancel = (): void => undefined;
    const expired = new Promise<null>((resolve) => {
      cancel = this.#clock.after(SAMPLE_TIMEOUT_MS, () => resolve(null));
    });
    try {
      const stats = await Promise.race([this.#containers.stats?.(container) ?? null, expired]);
      if (stats === null) return null;
      const { cpuPercent, memoryPercent } = stats;
      const rounded = { cpuPercent: round(cpuPercent), memoryPercent: round(memoryPercent) };
      return [container.owner.attemptId, rounded];
    } catch (error) {
      // The container may just have ended.
      this.#log.info('one container was not measured', { error: messageOf(error) });
      return null;
    } finally {
      cancel();
    }
  }
}

function round(percent: number): number {
  return Math.round(percent * 10) / 10;
}
