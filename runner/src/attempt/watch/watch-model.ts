import { messageOf } from '@switchyard/shared/message-of';
import type { LeaseRef } from '../../connection/lease-ref.ts';
import type { ModelReport } from '../../egress/model/model-report.ts';
import type { EngineEvent, EngineItem, TurnFailure } from '../../engine/agent-engine.ts';
import type { AttemptContext, AttemptDeps, ModelWatch } from '../attempt-deps.ts';
import { turnFailure } from '../attempt-end.ts';
import { type ModelLimits, judgeModel, refusalInTurn } from './judge-model.ts';

const POLL_MS = 1_000;
const MAX_SILENT_RETRY_MS = 60_000;
const MAX_AUTH_REFUSALS = 3;
/** Share of the limit on an engine's silence: the provider is blamed before the engine. */
const PROVIDER_SILENCE_SHARE = 0.75;

/** Items that exist only because a model responded. */
const SPOKEN: ReadonlySet<EngineItem['type']> = new Set([
  'message',
  'reasoning',
  'command',
  'file_change',
  'tool_call',
  'plan',
] as const);
/** Items during which the engine does not wait for its provider. */
const WORK: ReadonlySet<EngineItem['type']> = new Set(['command', 'file_change', 'tool_call']);

type Ended = Extract<EngineEvent, { kind: 'turn_ended' }>;
type ModelWatchDeps = Pick<AttemptDeps, 'proxy' | 'clock' | 'log'> &
  Pick<AttemptContext, 'control' | 'recorder' | 'usage'>;

/**
 * Follows the proxy's report about an attempt: once per second while a turn is open, at each turn's
 * end and at the attempt's end.
 */
export function watchModel(
  ref: LeaseRef,
  { turnStallMs }: { turnStallMs: number },
  deps: ModelWatchDeps,
): ModelWatch {
  return new ProxyWatch(ref, turnStallMs, deps);
}

/** The state of the open turn. */
type Turn = {
  beganMs: number | null;
  /** Number of responses before the turn; null: not known. */
  answersBefore: number | null;
  spokeMs: number | null;
  busyWith: Set<string>;
};

class ProxyWatch implements ModelWatch {
  readonly #ref: LeaseRef;
  readonly #deps: ModelWatchDeps;
  readonly #limits: ModelLimits;
  #turn: Turn | null = null;
  #report: ModelReport | null = null;
  #rowBeganMs: number | null = null;
  #reportedUncounted = false;
  #isOpen = false;
  #hasEnded = false;
  #contextWindow: number | undefined;
  #cancelPoll: () => void = () => undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(ref: LeaseRef, turnStallMs: number, deps: ModelWatchDeps) {
    this.#ref = ref;
    this.#deps = deps;
    const silenceMs = turnStallMs > 0 ? Math.round(turnStallMs * PROVIDER_SILENCE_SHARE) : null;
    this.#limits = {
      maxSilentRetryMs: Math.min(MAX_SILENT_RETRY_MS, silenceMs ?? MAX_SILENT_RETRY_MS),
      maxAuthRefusals: MAX_AUTH_REFUSALS,
      maxProviderSilenceMs: silenceMs,
    };
  }

  get counts(): boolean {
    return this.#deps.proxy.modelReport !== undefined;
  }

  turnBegan(adopted = false): void {
    if (this.#isOpen || this.#hasEnded) return;
    this.#isOpen = true;
    this.#turn = {
      beganMs: adopted ? null : this.#deps.clock.nowMs(),
      answersBefore: adopted ? null : (this.#report?.answers ?? 0),
      spokeMs: null,
      busyWith: new Set(),
    };
    if (this.counts) this.#pollLater();
  }

  async turnEnded(): Promise<void> {
    this.#isOpen = false;
    this.#cancelPoll();
    await this.#look();
  }

  heard(event: EngineEvent): void {
    if (event.kind === 'stats') return this.#told(event);
    if (this.#turn === null) return;
    const { busyWith } = this.#turn;
    if (event.kind === 'delta') this.#spoke();
    else if (event.kind === 'request') busyWith.add(`request ${event.requestId}`);
    else if (event.kind === 'request_resolved') busyWith.delete(`request ${event.requestId}`);
    else if (event.kind === 'item_started' || event.kind === 'item_ended') {
      if (SPOKEN.has(event.item.type)) this.#spoke();
      if (event.kind === 'item_ended') busyWith.delete(event.itemId);
      else if (WORK.has(event.item.type)) busyWith.add(event.itemId);
    }
  }

  failureOf({ status, failure }: Ended): TurnFailure | undefined {
    const turn = this.#turn;
    this.#turn = null;
    const report = this.#report;
    const refusal = report && refusalInTurn(report, turn?.beganMs ?? null);
    if (status === 'interrupted') return undefined;
    if (refusal === null || report === null) return failure;
    // An engine may call a turn complete that got no response.
    const isEmpty = status === 'completed' && turn?.answersBefore === report.answers;
    const isReported = status === 'failed' && refusal.kind !== 'agent_error';
    if (!isEmpty && !isReported) return failure;
    const told = turnFailure(refusal);
    const resetAtMs = told.resetAtMs ?? failure?.resetAtMs;
    return { ...told, ...(resetAtMs === undefined ? {} : { resetAtMs }) };
  }

  async end(): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#isOpen = false;
    this.#cancelPoll();
    await this.#look();
  }

  /** The engine's thread total is stored beside the proxy's count. */
  #told({ totals, contextWindow }: Extract<EngineEvent, { kind: 'stats' }>): void {
    if (!this.counts) return;
    this.#deps.usage.threadUsed(totals);
    this.#contextWindow = contextWindow ?? this.#contextWindow;
    void this.#look();
  }

  #spoke(): void {
    if (this.#turn !== null) this.#turn.spokeMs = this.#deps.clock.nowMs();
  }

  #pollLater(): void {
    this.#cancelPoll = this.#deps.clock.after(POLL_MS, () => {
      void this.#look().then(() => {
        if (this.#isOpen) this.#pollLater();
      });
    });
  }

  /** Reads the report serially, so that an older one never follows a newer one. */
  #look(): Promise<void> {
    if (!this.counts) return Promise.resolve();
    this.#looking = this.#looking
      .then(() => this.#checkOnce())
      .catch((error: unknown) => {
        const { log } = this.#deps;
        log.warn('the model proxy was not asked', { ...this.#ref, error: messageOf(error) });
      });
    return this.#looking;
  }

  async #checkOnce(): Promise<void> {
    const { proxy, control } = this.#deps;
    const report = (await proxy.modelReport?.(this.#ref)) ?? null;
    if (report === null) return;
    this.#followRow(report);
    this.#report = report;
    await this.#store(report);
    const failure = this.#judge(report);
    if (failure === null) return;
    this.#isOpen = false;
    control.stop({ kind: 'limit', failure });
  }

  #judge(report: ModelReport) {
    const turn = this.#turn;
    if (turn === null || !this.#isOpen) return null;
    const { beganMs, spokeMs, busyWith } = turn;
    const nowMs = this.#deps.clock.nowMs();
    const rowBeganMs = this.#rowBeganMs;
    const seen = { report, nowMs, turnBeganMs: beganMs, spokeMs, rowBeganMs };
    return judgeModel({ ...seen, isBusy: busyWith.size > 0 }, this.#limits);
  }

  /**
   * A series begins with the first refusal after a response, after the begin of a turn or after a
   * restart of the proxy.
   */
  #followRow(report: ModelReport): void {
    const before = this.#report;
    const goesOn =
      before !== null &&
      before.refusal !== null &&
      before.sinceMs === report.sinceMs &&
      before.answers === report.answers &&
      (this.#turn?.beganMs ?? 0) <= (this.#rowBeganMs ?? 0);
    if (report.refusal === null) this.#rowBeganMs = null;
    else if (!goesOn || this.#rowBeganMs === null) this.#rowBeganMs = report.refusal.atMs;
  }

  async #store(report: ModelReport): Promise<void> {
    const { usage, recorder } = this.#deps;
    const metered = usage.noteModel(report);
    if (metered !== null) {
      recorder.progress({ usage: metered });
      const contextWindow = this.#contextWindow;
      const { byModel = [] } = metered;
      await recorder.event('usage', {
        totals: metered.thread,
        own: metered.own,
        ...(byModel.length === 0 ? {} : { byModel }),
        ...(contextWindow === undefined ? {} : { contextWindow }),
      });
    }
    if (report.uncounted === 0 || this.#reportedUncounted) return;
    this.#reportedUncounted = true;
    const message =
      'the model provider does not tell how many tokens some of its answers use; usage and ' +
      'budgets count only the others';
    await recorder.event('notice', { level: 'warning', message });
  }
}
