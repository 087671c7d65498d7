import type { Refusal } from '../step.ts';
import type { RefusedAnswer } from './wire-format.ts';

type OpenAiError = { message: string; type: string; param: string | null; code: string | null };

const ERRORS: Record<Refusal['kind'], { status: number; error: OpenAiError }> = {
  unauthorized: {
    status: 401,
    error: fields('Incorrect API key provided', 'invalid_request_error', 'invalid_api_key'),
  },
  rate_limit: {
    status: 429,
    error: fields('Rate limit reached for requests', 'requests', 'rate_limit_exceeded'),
  },
  quota: {
    status: 429,
    error: fields(
      'You exceeded your current quota, please check your plan and billing details.',
      'insufficient_quota',
      'insufficient_quota',
    ),
  },
  server_error: {
    status: 500,
    error: fields(
      'The server had an error while processing your request. Sorry about that!',
      'server_error',
      null,
    ),
  },
  overloaded: {
    status: 503,
    error: fields(
      'The engine is currently overloaded, please try again later',
      'server_error',
      null,
    ),
  },
  context: {
    status: 400,
    error: fields(
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
      'invalid_request_error',
      'context_length_exceeded',
      'input',
    ),
  },
};

function fields(
  message: string,
  type: string,
  code: string | null,
  param: string | null = null,
): OpenAiError {
  return { message, type, param, code };
}

/** A refusal in OpenAI's format, with its rate limit headers where the reset time is known. */
export function refuseAsOpenAi(
  { kind, retryAfterS, resetAtMs }: Refusal,
  nowMs: number,
): RefusedAnswer & { body: { error: OpenAiError } } {
  const { status, error } = ERRORS[kind];
  const headers: Record<string, string> = { 'x-request-id': 'req_scripted' };
  if (retryAfterS !== undefined) headers['retry-after'] = String(retryAfterS);
  if (resetAtMs !== undefined) {
    headers['x-ratelimit-limit-requests'] = '500';
    headers['x-ratelimit-remaining-requests'] = '0';
    headers['x-ratelimit-reset-requests'] = inUnits(Math.max(0, resetAtMs - nowMs));
  }
  return { status, headers, body: { error } };
}

/** A duration as OpenAI's headers write it: `6m0s`, `120ms`. */
function inUnits(ms: number): string {
  if (ms < 1000) return `${Math.ceil(ms)}ms`;
  const seconds = Math.ceil(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  const rest = `${seconds % 60}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}
