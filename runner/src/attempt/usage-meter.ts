import type { TokenUsage } from '@switchyard/shared/api/work/attempt';
import type { ReportedModels } from '@switchyard/shared/protocol/attempt-event';
import type { ModelReport } from '../egress/model/model-report.ts';

/** Kept in the journal, so that a new process of the runner counts on. */
export type MeteredUsage = {
  /** What the attempt used itself. */
  own: TokenUsage;
  /** What the engine last told of the thread; the attempt's own where it tells nothing. */
  thread: TokenUsage;
  /** What the model proxy had counted then, and since when that proxy counts. */
  model?: Counted;
  /** `own` by the model that answered; empty where nobody counts. */
  byModel?: ReportedModels;
};

/** Journals of former versions do not have `byModel`. */
type Counted = Pick<ModelReport, 'sinceMs' | 'tokens'> & Partial<Pick<ModelReport, 'byModel'>>;

/** Models that are counted by name; further ones are counted together. */
const MAX_MODELS = 32;
const OTHER_MODELS = 'other';
const NONE: TokenUsage = { input: 0, cachedInput: 0, output: 0, reasoning: 0, total: 0 };

/**
 * What an attempt used itself. The model proxy counts that exactly, for every engine; one that died
 * begins anew, and what it had counted before is kept. Where nobody counts, the engine tells only
 * what its thread ever used: it may have served attempts before, and a thread whose context
 * overflowed counts from zero again.
 */
export class UsageMeter {
  #own: TokenUsage;
  /** Null: nothing is known of what the thread used before. */
  #thread: TokenUsage | null;
  #model: Counted | null;
  readonly #byModel: Map<string, TokenUsage>;
  #turnBegan = false;

  constructor(kept: MeteredUsage | undefined) {
    this.#own = kept?.own ?? NONE;
    // Where the engine tells nothing of its thread, the attempt's own stands for it.
    const isOwn = kept?.model !== undefined && kept.thread.total === kept.own.total;
    this.#thread = isOwn ? null : (kept?.thread ?? null);
    this.#model = kept?.model ?? null;
    this.#byModel = new Map(kept?.byModel?.map(({ model, tokens }) => [model, tokens]));
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

  /** What the engine tells of its thread, where the proxy counts. */
  threadUsed(totals: TokenUsage): void {
    this.#thread = totals;
  }

  /** Takes what the proxy counted so far; null: nothing more than it told before. */
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

  /** Providers name their models, so that there may be any number of them. */
  #countModel(model: string, more: TokenUsage): void {
    const isKnown = this.#byModel.has(model) || this.#byModel.size < MAX_MODELS;
    const name = isKnown ? model : OTHER_MODELS;
    this.#byModel.set(name, plus(this.#byModel.get(name) ?? NONE, more));
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
