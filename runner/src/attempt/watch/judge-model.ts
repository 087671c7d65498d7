import type { ModelRefusal, ModelReport } from '../../egress/model/model-report.ts';
import { AttemptFailed, failureOfTurn, turnFailure } from '../attempt-end.ts';

/** How long an engine may silently wait for its model provider. */
export type ModelLimits = {
  /**
   * Longest series of refusals that an engine silently retries, and longest wait for a reset that
   * it may sit out, milliseconds.
   */
  maxSilentRetryMs: number;
  /** Longest silence of the provider during a request, milliseconds; null: no limit. */
  maxProviderSilenceMs: number | null;
  /** Consecutive refusals after which a key counts as wrong. */
  maxAuthRefusals: number;
};

/** The state of an open turn. Times are wall clock. */
export type ModelView = {
  report: ModelReport;
  nowMs: number;
  /** When the turn began; null: under a former process. */
  turnBeganMs: number | null;
  /** When the engine last sent something that a model's response caused; null: not in this turn. */
  spokeMs: number | null;
  /** When the present series of refusals began; null: there is none. */
  rowBeganMs: number | null;
  /** A command runs or a person is asked, so the engine does not wait for the model. */
  isBusy: boolean;
};

/** A message from before a refusal may arrive this much later. */
const HEARING_MS = 2_000;

/** The provider's last refusal in this turn, if no response followed it. */
export function refusalInTurn(
  report: ModelReport,
  turnBeganMs: number | null,
): ModelRefusal | null {
  const { refusal } = report;
  if (refusal === null) return null;
  return turnBeganMs === null || refusal.atMs >= turnBeganMs ? refusal : null;
}

/** Why a turn must end although the engine silently continues it; null: it need not. */
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
  // A running retry may still succeed, so only the time up to the last refusal counts then.
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
