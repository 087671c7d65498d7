import type { HunkData } from 'react-diff-view';

/** Pairs of letters that a file's changes may have to be compared, at worst: about two seconds. */
const MAX_PAIRS = 20_000_000;
/** Time that finding marks may take for one difference, all files together. */
const MAX_TOTAL_MS = 2_000;

/**
 * Bounds the search for what changed within lines. It is as long as the product of what was there and
 * what is, and agents write both: without an end it would hold the page up.
 */
export class MarkBudget {
  readonly #nowMs: () => number;
  #spentMs = 0;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** What `find` gives, or null where it might take too long. */
  spend<T>(hunks: readonly HunkData[], find: () => T): T | null {
    if (this.#spentMs >= MAX_TOTAL_MS || mostPairs(hunks) > MAX_PAIRS) return null;
    const startedMs = this.#nowMs();
    try {
      return find();
    } finally {
      this.#spentMs += this.#nowMs() - startedMs;
    }
  }
}

/** Changes that stand together are compared as one text. */
function mostPairs(hunks: readonly HunkData[]): number {
  let pairs = 0;
  for (const { changes } of hunks) {
    let [before, after] = [0, 0];
    for (const change of changes) {
      if (change.type === 'delete') before += change.content.length;
      else if (change.type === 'insert') after += change.content.length;
      else {
        pairs += before * after;
        [before, after] = [0, 0];
      }
    }
    pairs += before * after;
  }
  return pairs;
}
