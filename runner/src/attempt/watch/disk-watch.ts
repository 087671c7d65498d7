import { messageOf } from '@switchyard/shared/message-of';
import type { Clock } from '../../connection/clock.ts';
import type { Log } from '../../log.ts';
import { hasFewEntries } from '../../workspace/disk/free-room.ts';
import type { HostDisk } from '../../workspace/disk/host-disk.ts';

/** Below this a workspace and its build hardly fit, and a full disk affects everything. */
const MIN_FREE_BYTES = 1_073_741_824;
/** A clone with its packages has some hundred thousand files. */
const LEAST_ENTRIES = { entries: 200_000, part: 0.05 };
const CHECK_MS = 15_000;

/** Checks free space and inodes of a folder's file system as long as the process lives. */
export class DiskWatch {
  readonly #folder: string;
  readonly #disk: HostDisk;
  readonly #clock: Clock;
  readonly #log: Log;
  #isLow = false;

  constructor(folder: string, deps: { disk: HostDisk; clock: Clock; log: Log }) {
    this.#folder = folder;
    this.#disk = deps.disk;
    this.#clock = deps.clock;
    this.#log = deps.log;
    this.#look();
  }

  get isLow(): boolean {
    return this.#isLow;
  }

  #look(): void {
    this.#disk
      .freeRoom(this.#folder)
      .then((room) => this.#note(room.bytes < MIN_FREE_BYTES || hasFewEntries(room, LEAST_ENTRIES)))
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
