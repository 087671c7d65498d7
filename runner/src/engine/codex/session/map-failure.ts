import type { TurnFailure } from '../../agent-engine.ts';
import type { RateLimitWindow, TurnError } from '../turn-params.ts';

type FailureKind = TurnFailure['kind'];

/** Failure kinds of the engine's named errors; any other is the agent's own. */
const KIND_BY_NAME: Record<string, FailureKind> = {
  contextWindowExceeded: 'context_exceeded',
  usageLimitExceeded: 'usage_limited',
  rateLimitExceeded: 'usage_limited',
  unauthorized: 'auth_failed',
  serverOverloaded: 'provider_unreachable',
  flexUnavailable: 'provider_unreachable',
  internalServerError: 'provider_unreachable',
  policyCapacityUnavailable: 'provider_unreachable',
};

/** Errors of the connection to the provider, with an HTTP status if there was a response. */
const CONNECTION_ERRORS = [
  'httpConnectionFailed',
  'responseStreamConnectionFailed',
  'responseStreamDisconnected',
  'responseTooManyFailedAttempts',
];

/** After the last retry the engine names such errors `other`, and only the text tells. */
const DISCONNECTED_TEXT = /^(stream disconnected before completion|connection failed)/i;
const CONTEXT_TEXT = /context_length_exceeded|maximum context length/i;

/** Why a turn failed, as a failure kind. */
export function mapFailure(
  error: TurnError | null | undefined,
  limits: readonly RateLimitWindow[],
): TurnFailure {
  if (!error)
    return { kind: 'agent_error', message: 'the turn failed and the engine gave no reason' };
  const details = error.additionalDetails ? `: ${error.additionalDetails}` : '';
  const message = `${error.message}${details}`;
  const kind = kindOf(error);
  if (kind !== 'usage_limited') return { kind, message };
  const resetAtMs = resetTime(limits);
  return resetAtMs === null ? { kind, message } : { kind, message, resetAtMs };
}

function kindOf({ codexErrorInfo: info, message }: TurnError): FailureKind {
  if (typeof info === 'string' && KIND_BY_NAME[info]) return KIND_BY_NAME[info];
  if (info && typeof info === 'object') {
    const name = CONNECTION_ERRORS.find((candidate) => candidate in info);
    if (name) return kindOfStatus(statusOf(info[name]));
  }
  if (DISCONNECTED_TEXT.test(message)) return 'provider_unreachable';
  if (CONTEXT_TEXT.test(message)) return 'context_exceeded';
  return 'agent_error';
}

function kindOfStatus(status: number | null): FailureKind {
  if (status === 401 || status === 403) return 'auth_failed';
  if (status === 429) return 'usage_limited';
  if (status !== null && status >= 400 && status < 500 && status !== 408) return 'agent_error';
  return 'provider_unreachable';
}

function statusOf(detail: unknown): number | null {
  if (typeof detail !== 'object' || detail === null || !('httpStatusCode' in detail)) return null;
  return typeof detail.httpStatusCode === 'number' ? detail.httpStatusCode : null;
}

/** The latest reset of the windows that are used up, else of all with a reset time. */
function resetTime(limits: readonly RateLimitWindow[]): number | null {
  const full = limits.filter((window) => window.usedPercent >= 100);
  const seconds = (full.length > 0 ? full : limits)
    .map((window) => window.resetsAt)
    .filter((resetsAt) => typeof resetsAt === 'number');
  return seconds.length === 0 ? null : Math.max(...seconds) * 1000;
}
