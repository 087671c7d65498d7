import type { EventLog, LogRow } from './event-log.ts';

/** Rows between two checks of the clock. */
const ROWS_PER_STEP = 64;

/**
 * The rows of a log that meet a condition, as positions from top to bottom. Updates cost as much as
 * the log has changed, and the first pass over a long log can be done in slices.
 */
export class MatchingRows {
  readonly positions: number[] = [];
  /** Counts insertions and removals in the middle, which shift the indexes into `positions`. */
  shifts = 0;
  readonly #meets: (row: LogRow) => boolean;
  #checked = 0;
  #changesKnown = 0;

  constructor(meets: (row: LogRow) => boolean) {
    this.#meets = meets;
  }

  /**
   * Checks new rows until all are checked (true), or until `untilMs` of the page's clock (false).
   */
  catchUp({ rows, changes }: EventLog, untilMs = Number.POSITIVE_INFINITY): boolean {
    const changed = changes.since(this.#changesKnown);
    this.#changesKnown = changes.total;
    if (changed === null) this.#startOver();
    else for (const position of changed) this.#recheck(rows, position);
    while (this.#checked < rows.length) {
      if (this.#checked % ROWS_PER_STEP === 0 && performance.now() > untilMs) return false;
      if (this.#meets(rows[this.#checked] as LogRow)) this.positions.push(this.#checked);
      this.#checked += 1;
    }
    return true;
  }

  /** Index of a log position among the matching rows; -1 when that row does not match. */
  indexOf(position: number): number {
    const index = lowerBound(this.positions, position);
    return this.positions[index] === position ? index : -1;
  }

  #startOver(): void {
    this.positions.length = 0;
    this.#checked = 0;
    this.shifts += 1;
  }

  #recheck(rows: readonly LogRow[], position: number): void {
    if (position >= this.#checked) return;
    const index = lowerBound(this.positions, position);
    const known = this.positions[index] === position;
    const meets = this.#meets(rows[position] as LogRow);
    if (known === meets) return;
    if (meets) this.positions.splice(index, 0, position);
    else this.positions.splice(index, 1);
    this.shifts += 1;
  }
}

/** The first index whose value is not below `value`; `sorted` ascends. */
function lowerBound(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
