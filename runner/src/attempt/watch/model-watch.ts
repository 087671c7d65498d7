import { messageOf } from '@switchyard/shared/message-of';
import type { ModelReport } from '../../egress/model/model-report.ts';
import type { EngineEvent, EngineItem, TurnFailure } from '../../engine/agent-engine.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import { turnFailure } from '../attempt-end.ts';
import type { Companion } from '../companions/companion.ts';
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
/** The state of the open turn. */
type Turn = {
  beganMs: number | null;
  /** Number of responses before the turn; null: not known. */
  answersBefore: number | null;
  spokeMs: number | null;
  busyWith: Set<string>;
};

/**
 * Follows an attempt's model traffic by the proxy's report, once per second while a turn is open
 * and at each end: tokens become `usage` events for every engine alike, a failed turn gets the
 * provider's own reason, and an engine that silently waits or retries too long is stopped.
 */
export class ModelWatch implements Companion {
  readonly name = 'the report of the model proxy';
  readonly #context: AttemptContext;
  readonly #limits: ModelLimits;
  #turn: Turn | null = null;
  #report: ModelReport | null = null;
  #rowBeganMs: number | null = null;
  #reportedUncounted = false;
  #isOpen = false;
  #isFollowing = false;
  #contextWindow: number | undefined;
  #cancelPoll: () => void = () => undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(context: AttemptContext) {
    this.#context = context;
    const { turnStallMs } = context.spec.limits;
    const silenceMs = turnStallMs > 0 ? Math.round(turnStallMs * PROVIDER_SILENCE_SHARE) : null;
    this.#limits = {
      maxSilentRetryMs: Math.min(MAX_SILENT_RETRY_MS, silenceMs ?? MAX_SILENT_RETRY_MS),
      maxAuthRefusals: MAX_AUTH_REFUSALS,
      maxProviderSilenceMs: silenceMs,
    };
  }

  accessGranted(): void {
    this.#isFollowing = true;
  }

  turnStarting({ isAdopted }: { isAdopted: boolean }): void {
    if (this.#isOpen || !this.#isFollowing) return;
    this.#isOpen = true;
    this.#turn = {
      beganMs: isAdopted ? null : this.#context.deps.clock.nowMs(),
      answersBefore: isAdopted ? null : (this.#report?.answers ?? 0),
      spokeMs: null,
      busyWith: new Set(),
    };
    if (this.isCounting) this.#pollLater();
  }

  /** Waits only at the end of a turn, until its usage is stored. */
  engineEvent(event: EngineEvent): Promise<void> | void {
    if (event.kind === 'turn_ended') return this.#stopReading();
    if (event.kind === 'stats') return this.#noteTotals(event);
    this.#noteActivity(event);
  }

  #noteActivity(event: EngineEvent): void {
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

  /** Why a turn failed, in the provider's own words if it refused; undefined: it did not fail. */
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
    const refused = turnFailure(refusal);
    const resetAtMs = refused.resetAtMs ?? failure?.resetAtMs;
    return { ...refused, ...(resetAtMs === undefined ? {} : { resetAtMs }) };
  }

  async engineEnded(): Promise<void> {
    if (!this.#isFollowing) return;
    this.#isFollowing = false;
    await this.#stopReading();
  }

  /** Ends the regular reads with a last one. */
  #stopReading(): Promise<void> {
    this.#isOpen = false;
    this.#cancelPoll();
    return this.#read();
  }

  /** The engine's thread total is stored beside the proxy's count. */
  #noteTotals({ totals, contextWindow }: Extract<EngineEvent, { kind: 'stats' }>): void {
    if (!this.isCounting) return;
    this.#context.usage.threadUsed(totals);
    this.#contextWindow = contextWindow ?? this.#contextWindow;
    void this.#read();
  }

  /** Whether the proxy counts usage; the engine's own figures are then only shown to people. */
  get isCounting(): boolean {
    return this.#context.deps.proxy.modelReport !== undefined;
  }

  #spoke(): void {
    if (this.#turn !== null) this.#turn.spokeMs = this.#context.deps.clock.nowMs();
  }

  #pollLater(): void {
    this.#cancelPoll = this.#context.deps.clock.after(POLL_MS, () => {
      void this.#read().then(() => {
        if (this.#isOpen) this.#pollLater();
      });
    });
  }

  /** Reads the report serially, so that an older one never follows a newer one. */
  #read(): Promise<void> {
    if (!this.isCounting) return Promise.resolve();
    this.#reading = this.#reading
      .then(() => this.#readOnce())
      .catch((error: unknown) => {
        const { deps, ref } = this.#context;
        deps.log.warn('the model proxy was not asked', { ...ref, error: messageOf(error) });
      });
    return this.#reading;
  }

  async #readOnce(): Promise<void> {
    const { deps, control, ref } = this.#context;
    const report = (await deps.proxy.modelReport?.(ref)) ?? null;
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
    const nowMs = this.#context.deps.clock.nowMs();
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
    const { usage, recorder } = this.#context;
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
