import type { HunkData } from 'react-diff-view';

/** Worst-case pairs of letters that are compared for one file's changes: about two seconds. */
const MAX_PAIRS = 20_000_000;
/** Time limit for the marks of one diff, all files together. */
const MAX_TOTAL_MS = 2_000;

/**
 * Limits the search for changes within lines. Its duration grows with the product of the old and
 * new lengths, both chosen by agents: without a limit it could block the page.
 */
export class MarkBudget {
  readonly #nowMs: () => number;
  #spentMs = 0;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** The result of `find`, or null where it might take too long. */
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

/**
 * Pairs of letters that comparing the hunks takes at worst: adjacent changes are compared as one
 * text.
 */
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
