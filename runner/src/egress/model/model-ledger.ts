import { cutText } from '@switchyard/shared/text/cut-text';
import type { ModelRefusal, ModelReport, ModelTokens } from './model-report.ts';
import { NO_TOKENS, latestTokens, minusTokens, plusTokens } from './read-tokens.ts';

/** Models of one attempt that are counted by name; others are counted together. */
const MAX_MODELS = 32;
const OTHER_MODELS = 'other';
const UNKNOWN_MODEL = 'unknown';
const MAX_NAME_CHARS = 200;

/** One open request. */
export type OpenRequest = {
  /** When the last byte of its response arrived; before that, when it began. */
  receivedMs: number;
  tokens: ModelTokens | null;
  /** Model name by the provider's last report. */
  model: string | null;
};

/** Usage of one attempt at its model provider, and the provider's responses. In memory only. */
export class ModelLedger {
  readonly #now: () => number;
  readonly #sinceMs: number;
  readonly #open = new Set<OpenRequest>();
  readonly #byModel = new Map<string, ModelTokens>();
  #answers = 0;
  #uncounted = 0;
  #tokens = NO_TOKENS;
  #last: ModelTokens | null = null;
  #refusal: ModelRefusal | null = null;
  #lastEndMs: number | null = null;

  /** Creates a ledger; `now` is wall clock. */
  constructor(now: () => number) {
    this.#now = now;
    this.#sinceMs = now();
  }

  begin(): OpenRequest {
    const request = { receivedMs: this.#now(), tokens: null, model: null };
    this.#open.add(request);
    return request;
  }

  heard(request: OpenRequest): void {
    request.receivedMs = this.#now();
  }

  /** Adds a response's tokens so far: counted at once, and each only once. */
  used(request: OpenRequest, reported: ModelTokens, model: string | null): void {
    const before = request.tokens ?? NO_TOKENS;
    const now = latestTokens(before, reported);
    const more = minusTokens(now, before);
    request.tokens = now;
    this.#last = now;
    this.#tokens = plusTokens(this.#tokens, more);
    request.model = model ?? request.model;
    const name = this.#nameOf(request.model);
    this.#byModel.set(name, plusTokens(this.#byModel.get(name) ?? NO_TOKENS, more));
  }

  answered(request: OpenRequest): void {
    this.#answers += 1;
    if (request.tokens === null) this.#uncounted += 1;
    this.#refusal = null;
  }

  refused(refusal: Omit<ModelRefusal, 'inARow'>): void {
    this.#refusal = { ...refusal, inARow: (this.#refusal?.inARow ?? 0) + 1 };
  }

  end(request: OpenRequest): void {
    if (this.#open.delete(request)) this.#lastEndMs = this.#now();
  }

  report(): ModelReport {
    const times = [...this.#open].map(({ receivedMs }) => receivedMs);
    return {
      sinceMs: this.#sinceMs,
      answers: this.#answers,
      uncounted: this.#uncounted,
      tokens: this.#tokens,
      byModel: Object.fromEntries(this.#byModel),
      last: this.#last,
      refusal: this.#refusal,
      active: times.length,
      lastEndMs: this.#lastEndMs,
      silentSinceMs: times.length === 0 ? null : Math.min(...times),
    };
  }

  #nameOf(model: string | null): string {
    const name = model === null ? UNKNOWN_MODEL : cutText(model, MAX_NAME_CHARS);
    return this.#byModel.has(name) || this.#byModel.size < MAX_MODELS ? name : OTHER_MODELS;
  }
}
