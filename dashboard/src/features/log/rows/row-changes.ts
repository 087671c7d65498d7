/** Beyond this many, the older half is forgotten. */
const KEPT_MAX = 8_192;

/** Which rows of a log were replaced, in order, for those who keep up with it. */
export class RowChanges {
  #positions: number[] = [];
  #forgotten = 0;

  /** How many there have been: what a reader passes to `since` the next time. */
  get total(): number {
    return this.#forgotten + this.#positions.length;
  }

  add(position: number): void {
    this.#positions.push(position);
    if (this.#positions.length <= KEPT_MAX) return;
    this.#positions = this.#positions.slice(KEPT_MAX / 2);
    this.#forgotten += KEPT_MAX / 2;
  }

  /** Positions replaced after the first `known` ones; null when some of them are forgotten. */
  since(known: number): readonly number[] | null {
    if (known < this.#forgotten) return null;
    return known === this.total ? [] : this.#positions.slice(known - this.#forgotten);
  }
}
