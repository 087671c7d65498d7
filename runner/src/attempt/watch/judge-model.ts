import type { ModelRefusal, ModelReport } from '../../egress/model/model-report.ts';
import { AttemptFailed, failureOfTurn, turnFailure } from '../attempt-end.ts';

/** How long an engine may wait for its model provider without a word. */
export type ModelLimits = {
  /**
   * Longest row of refusals that an engine tries again on in silence, and the longest wait for a
   * reset that it may sit out.
   */
  maxSilentRetryMs: number;
  /** Longest silence of a provider that was asked; null: no limit. */
  maxProviderSilenceMs: number | null;
  /** A key that was refused so often in a row is wrong. */
  maxAuthRefusals: number;
};

/** What is known of a turn that is open. Times are wall clock. */
export type ModelView = {
  report: ModelReport;
  nowMs: number;
  /** Null: it was begun by a former process. */
  turnBeganMs: number | null;
  /** When the engine last said something that a model's answer made it say; null: not in this turn. */
  spokeMs: number | null;
  /** When the present row of refusals began; null: there is none. */
  rowBeganMs: number | null;
  /** A command runs, or a person is asked: the engine waits for something else. */
  isBusy: boolean;
};

/** What was said before a refusal may be heard after it. */
const HEARING_MS = 2_000;

/** The refusal that the provider answered in this turn last, and that no answer followed. */
export function refusalInTurn(
  report: ModelReport,
  turnBeganMs: number | null,
): ModelRefusal | null {
  const { refusal } = report;
  if (refusal === null) return null;
  return turnBeganMs === null || refusal.atMs >= turnBeganMs ? refusal : null;
}

/** Why a turn must end although the engine goes on with it in silence; null: it need not. */
export function judgeModel(view: ModelView, limits: ModelLimits): AttemptFailed | null {
  if (view.isBusy) return null;
  const refusal = refusalInTurn(view.report, view.turnBeganMs);
  if (refusal !== null && isHopeless(view, refusal, limits)) {
    return failureOfTurn(turnFailure(refusal));
  }
  return silenceOf(view, limits);
}

function isHopeless(
  { report, nowMs, spokeMs, rowBeganMs }: ModelView,
  refusal: ModelRefusal,
  { maxSilentRetryMs, maxAuthRefusals }: ModelLimits,
): boolean {
  const isSilentSince = (atMs: number): boolean => spokeMs === null || spokeMs <= atMs + HEARING_MS;
  const isIdle = report.active === 0;
  const { atMs, kind, inARow, resetAtMs } = refusal;
  if (isIdle && isSilentSince(atMs)) {
    if (resetAtMs !== null && resetAtMs - nowMs > maxSilentRetryMs) return true;
    if (kind === 'auth_failed' && inARow >= maxAuthRefusals) return true;
  }
  if (rowBeganMs === null || !isSilentSince(rowBeganMs)) return false;
  // A try that is under way may yet succeed: then only refusals count that came meanwhile.
  return (isIdle ? nowMs : atMs) - rowBeganMs >= maxSilentRetryMs;
}

function silenceOf(view: ModelView, { maxProviderSilenceMs }: ModelLimits): AttemptFailed | null {
  const { silentSinceMs } = view.report;
  if (maxProviderSilenceMs === null || silentSinceMs === null) return null;
  const sinceMs = Math.max(silentSinceMs, view.turnBeganMs ?? 0, view.spokeMs ?? 0);
  if (view.nowMs - sinceMs < maxProviderSilenceMs) return null;
  const silentS = Math.round((view.nowMs - sinceMs) / 1_000);
  return new AttemptFailed(
    'provider_unreachable',
    `the model provider was asked and has sent nothing for ${silentS} s`,
    { reasonCode: 'provider_silent' },
  );
}
