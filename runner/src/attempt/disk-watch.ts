import { statfs } from 'node:fs/promises';
import type { Clock } from '../connection/clock.ts';
import type { Log } from '../connection/log.ts';
import { messageOf } from '../connection/log.ts';

/** Below this a workspace and its build hardly fit, and a full disk hurts everyone. */
const MIN_FREE_BYTES = 1_073_741_824;
const CHECK_MS = 15_000;

/** Looks at the free space of a folder for as long as the process lives. */
export class DiskWatch {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #log: Log;
  #isLow = false;

  constructor(folder: string, deps: { clock: Clock; log: Log }) {
    this.#folder = folder;
    this.#clock = deps.clock;
    this.#log = deps.log;
    this.#look();
  }

  get isLow(): boolean {
    return this.#isLow;
  }

  #look(): void {
    statfs(this.#folder)
      .then(({ bavail, bsize }) => this.#note(bavail * bsize < MIN_FREE_BYTES))
      .catch((error: unknown) =>
        this.#log.error('the disk cannot be looked at', { error: messageOf(error) }),
      )
      .finally(() => this.#clock.after(CHECK_MS, () => this.#look()));
  }

  #note(isLow: boolean): void {
    if (isLow === this.#isLow) return;
    this.#isLow = isLow;
    this.#log.warn(
      isLow ? 'the disk is nearly full; taking no new work' : 'the disk has room again',
    );
  }
}
