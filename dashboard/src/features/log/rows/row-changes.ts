/** Beyond this number, the older half is discarded. */
const KEPT_MAX = 8_192;

/** Positions of replaced rows in order, for readers that update incrementally. */
export class RowChanges {
  #positions: number[] = [];
  #forgotten = 0;

  /** Total number of changes: the argument for the reader's next `since`. */
  get total(): number {
    return this.#forgotten + this.#positions.length;
  }

  add(position: number): void {
    this.#positions.push(position);
    if (this.#positions.length <= KEPT_MAX) return;
    this.#positions = this.#positions.slice(KEPT_MAX / 2);
    this.#forgotten += KEPT_MAX / 2;
  }

  /** Positions replaced after the first `known` ones; null when some of them were discarded. */
  since(known: number): readonly number[] | null {
    if (known < this.#forgotten) return null;
    return known === this.total ? [] : this.#positions.slice(known - this.#forgotten);
  }
}
