import type { TokenUsage } from '@switchyard/shared/api/work/attempt';

/** Kept in the journal, so that a new process of the runner counts on. */
export type MeteredUsage = {
  /** What the attempt used itself. */
  own: TokenUsage;
  /** What the engine last told of the thread. */
  thread: TokenUsage;
};

const NONE: TokenUsage = { input: 0, cachedInput: 0, output: 0, reasoning: 0, total: 0 };

/**
 * What an attempt used itself, of an engine that tells only what its thread ever used: the thread
 * may have served attempts before, and a thread whose context overflowed counts from zero again.
 */
export class UsageMeter {
  #own: TokenUsage;
  /** Null: nothing is known of what the thread used before. */
  #thread: TokenUsage | null;
  #turnBegan = false;

  constructor(kept: MeteredUsage | undefined) {
    this.#own = kept?.own ?? NONE;
    this.#thread = kept?.thread ?? null;
  }

  /** A thread that is new has used nothing. */
  threadStarted(resumed: boolean): void {
    if (!resumed) this.#thread = NONE;
  }

  turnBegan(): void {
    this.#turnBegan = true;
  }

  /** `last` is what the newest answer of the model alone used, where the engine tells it. */
  note(totals: TokenUsage, last: TokenUsage | undefined): MeteredUsage {
    const before = this.#thread ?? this.#before(totals, last);
    const isAnew = totals.total < before.total;
    this.#own = plus(this.#own, isAnew ? (last ?? totals) : minus(totals, before));
    this.#thread = totals;
    return { own: this.#own, thread: totals };
  }

  /** A resumed thread may tell where it stands before anything was asked of it. */
  #before(totals: TokenUsage, last: TokenUsage | undefined): TokenUsage {
    return this.#turnBegan && last !== undefined ? minus(totals, last) : totals;
  }
}

function plus(one: TokenUsage, other: TokenUsage): TokenUsage {
  return each((part) => one[part] + other[part]);
}

function minus(one: TokenUsage, other: TokenUsage): TokenUsage {
  return each((part) => Math.max(0, one[part] - other[part]));
}

function each(value: (part: keyof TokenUsage) => number): TokenUsage {
  return {
    input: value('input'),
    cachedInput: value('cachedInput'),
    output: value('output'),
    reasoning: value('reasoning'),
    total: value('total'),
  };
}
