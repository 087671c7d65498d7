import type { EngineTestOutcome } from '@switchyard/shared/protocol/engine-test';
import type { LeaseRef } from '../connection/lease-ref.ts';
import type { ModelRefusal, ModelReport } from '../egress/model/model-report.ts';
import type { OperatorEngineDeps } from './start-operator-engine.ts';
import { TestFailed } from './test-failed.ts';

const POLL_MS = 1_000;
/** An engine that waits this long for its provider waits longer than a test lasts. */
const MAX_WAIT_MS = 30_000;
const MAX_REFUSALS = 3;

export type ReportWatch = {
  /**
   * Rejects when the turn must end: too many tokens, repeated refusals of the key, or a refusal
   * that lasts longer than a test.
   */
  failed: Promise<never>;
  /**
   * The provider's last refusal if the turn's error does not name the cause; otherwise that error.
   */
  reasonOf(error: unknown): Promise<unknown>;
  /** Reads the tokens a last time and stops. */
  end(): Promise<void>;
};

/**
 * Follows a test turn at the model proxy, which knows every engine's tokens and the refusals that
 * an engine does not report. `report` receives the tokens.
 */
export function watchReport(
  { proxy, clock }: Pick<OperatorEngineDeps, 'proxy' | 'clock'>,
  ref: LeaseRef,
  { report, maxTokens }: { report: EngineTestOutcome; maxTokens: number },
): ReportWatch {
  let fail: (error: TestFailed) => void = () => undefined;
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined);
  const check = async (): Promise<ModelReport | null> => {
    const found = (await proxy.modelReport?.(ref).catch(() => null)) ?? null;
    if (found !== null && found.answers > 0) report.tokens = found.tokens;
    return found;
  };
  let isOver = false;
  let cancel: () => void = () => undefined;
  const again = (): void => {
    cancel = clock.after(POLL_MS, () => {
      void check().then((found) => {
        const failure = found === null ? null : whyEnd(found, maxTokens, clock.nowMs());
        if (failure !== null) fail(failure);
        if (!isOver) again();
      });
    });
  };
  again();
  return {
    failed,
    reasonOf: async (error) => {
      const refusal = (await check())?.refusal ?? null;
      const isTyped = error instanceof TestFailed && !isVague(error);
      return refusal === null || isTyped ? error : failureOf(refusal);
    },
    end: async () => {
      isOver = true;
      cancel();
      await check();
    },
  };
}

/** Whether the engine's own message does not say what the provider refused. */
function isVague({ kind }: TestFailed): boolean {
  return kind === 'agent_error' || kind === 'timed_out';
}

function whyEnd(
  { tokens, refusal }: ModelReport,
  maxTokens: number,
  nowMs: number,
): TestFailed | null {
  if (tokens.total > maxTokens) {
    const message = `the turn used ${tokens.total} tokens; a test may use ${maxTokens}`;
    return new TestFailed('too_many_tokens', message);
  }
  if (refusal === null) return null;
  const waitsLong = (refusal.resetAtMs ?? 0) - nowMs > MAX_WAIT_MS;
  const isFinal = refusal.kind === 'auth_failed' && refusal.inARow >= MAX_REFUSALS;
  return waitsLong || isFinal ? failureOf(refusal) : null;
}

function failureOf({ kind, message, resetAtMs }: ModelRefusal): TestFailed {
  const plain = kind === 'context_exceeded' ? 'agent_error' : kind;
  return new TestFailed(plain, message, resetAtMs ?? undefined);
}
