import type { TokenUsage } from '@switchyard/shared/api/work/attempt';
import type { ReportedModels } from '@switchyard/shared/protocol/attempt-event';
import type { ModelReport } from '../../egress/model/model-report.ts';

/** Usage in the journal, so that a later process continues counting. */
export type MeteredUsage = {
  /** Usage of this attempt. */
  own: TokenUsage;
  /** The engine's last total for the thread; the attempt's own usage if it reports none. */
  thread: TokenUsage;
  /** The proxy's count at that time, and when that proxy started counting. */
  model?: Counted;
  /** `own` by model; left out where no proxy counts. */
  byModel?: ReportedModels;
};

/** Journals of former versions lack `byModel`. */
type Counted = Pick<ModelReport, 'sinceMs' | 'tokens'> & Partial<Pick<ModelReport, 'byModel'>>;

/** Models that are counted by name; others are counted together. */
const MAX_MODELS = 32;
const OTHER_MODELS = 'other';
const NONE: TokenUsage = { input: 0, cachedInput: 0, output: 0, reasoning: 0, total: 0 };

/**
 * Counts an attempt's usage. The model proxy counts exactly, for every engine; after a crash it
 * starts again, and its former count is added. Without it the engine reports only the total of its
 * thread, which earlier attempts may have used and which restarts at zero after its context
 * overflowed.
 */
export class UsageMeter {
  #own: TokenUsage;
  /** The thread's last known total; null: not known. */
  #thread: TokenUsage | null;
  #model: Counted | null;
  readonly #byModel: Map<string, TokenUsage>;
  #turnBegan = false;

  constructor(kept: MeteredUsage | undefined) {
    this.#own = kept?.own ?? NONE;
    // If the engine reports no thread total, the attempt's own usage stands for it.
    const isOwn = kept?.model !== undefined && kept.thread.total === kept.own.total;
    this.#thread = isOwn ? null : (kept?.thread ?? null);
    this.#model = kept?.model ?? null;
    this.#byModel = new Map(kept?.byModel?.map(({ model, tokens }) => [model, tokens]));
  }

  /** Usage of this attempt; undefined while nothing was counted. */
  get own(): TokenUsage | undefined {
    return this.#own === NONE ? undefined : this.#own;
  }

  /** A new thread has used nothing. */
  threadStarted(resumed: boolean): void {
    if (!resumed) this.#thread = NONE;
  }

  turnBegan(): void {
    this.#turnBegan = true;
  }

  /** `last` is the usage of the model's newest response alone, if the engine reports it. */
  note(totals: TokenUsage, last: TokenUsage | undefined): MeteredUsage {
    const before = this.#thread ?? this.#before(totals, last);
    const isAnew = totals.total < before.total;
    this.#own = plus(this.#own, isAnew ? (last ?? totals) : minus(totals, before));
    this.#thread = totals;
    return { own: this.#own, thread: totals };
  }

  /** Records the engine's thread total while the proxy counts. */
  threadUsed(totals: TokenUsage): void {
    this.#thread = totals;
  }

  /** Adds what the proxy has counted since the last call; null when that is nothing. */
  noteModel({ sinceMs, tokens, byModel = {} }: Counted): MeteredUsage | null {
    const before = this.#model?.sinceMs === sinceMs ? this.#model : null;
    const more = minus(tokens, before?.tokens ?? NONE);
    if (more.total === 0) return null;
    this.#own = plus(this.#own, more);
    const counted = new Map(Object.entries(before?.byModel ?? {}));
    for (const [model, used] of Object.entries(byModel)) {
      this.#countModel(model, minus(used, counted.get(model) ?? NONE));
    }
    this.#model = { sinceMs, tokens, byModel };
    const thread = this.#thread === null || this.#thread === NONE ? this.#own : this.#thread;
    const ofModels = [...this.#byModel].map(([model, used]) => ({ model, tokens: used }));
    return { own: this.#own, thread, model: this.#model, byModel: ofModels };
  }

  /** Limits the names, because providers choose them. */
  #countModel(model: string, more: TokenUsage): void {
    const isKnown = this.#byModel.has(model) || this.#byModel.size < MAX_MODELS;
    const name = isKnown ? model : OTHER_MODELS;
    this.#byModel.set(name, plus(this.#byModel.get(name) ?? NONE, more));
  }

  /** A resumed thread may report its total before its first request. */
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
