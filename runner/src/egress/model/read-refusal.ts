import { cutText } from '@switchyard/shared/text/cut-text';
import type { IncomingHttpHeaders } from 'node:http';
import { type JsonObject, listOf, objectOf, textOf } from './json-object.ts';
import type { ModelRefusal } from './model-report.ts';
import { resetTime } from './reset-time.ts';

type Kind = ModelRefusal['kind'];
type Refusal = Omit<ModelRefusal, 'inARow'>;

const MAX_MESSAGE_CHARS = 1_000;
const MAX_CODE_CHARS = 200;

/** Failure kinds by the providers' published error codes and types, in lower case. */
const KIND_BY_CODE: Readonly<Record<string, Kind>> = {
  ...allOf('context_exceeded', [
    'context_length_exceeded',
    'context_window_exceeded',
    'request_too_large',
    'model_context_window_exceeded',
    'string_above_max_length',
  ]),
  ...allOf('usage_limited', [
    'insufficient_quota',
    'quota_exceeded',
    'usage_limit_reached',
    'usage_not_included',
    'rate_limit_exceeded',
    'rate_limit_error',
    'rate_limited',
    'resource_exhausted',
    'billing_error',
    'billing_not_active',
    'billing_hard_limit_reached',
    'tokens',
    'requests',
    'insufficient_credits',
    'insufficient_balance',
    'too_many_requests',
    'throttling',
  ]),
  ...allOf('auth_failed', [
    'authentication_error',
    'permission_error',
    'invalid_api_key',
    'api_key_invalid',
    'unauthenticated',
    'permission_denied',
    'account_deactivated',
    'invalid_authentication',
    'authentication_failed',
    'incorrect_api_key',
    'access_denied',
    'unauthorized',
  ]),
  ...allOf('provider_unreachable', [
    'overloaded_error',
    'api_error',
    'server_error',
    'timeout_error',
    'unavailable',
    'internal',
    'internal_server_error',
    'internal_error',
    'deadline_exceeded',
    'overloaded',
    'server_is_overloaded',
    'slow_down',
    'service_unavailable',
    'bad_gateway',
  ]),
  ...allOf('agent_error', [
    'invalid_prompt',
    'invalid_request',
    'invalid_request_error',
    'invalid_argument',
    'not_found_error',
    'not_found',
    'model_not_found',
    'failed_precondition',
  ]),
};

/** Kinds of vague error codes, for which message or status may give a more precise kind. */
const UNSPECIFIC: ReadonlySet<Kind> = new Set(['agent_error']);

const CONTEXT_WORDS = [
  /(?:maximum|max|model's|available) (?:allowed )?(?:context|prompt) (?:length|size|window)/i,
  /prompt (?:is )?too long|input is too long|too many input tokens/i,
  /exceeds? (?:the |this |your )?(?:model's )?(?:available |maximum |max )?context/i,
  /exceed(?:s|ed)? (?:the )?(?:model(?:'s)? )?(?:token|context) (?:limit|window)/i,
  /input token count[^.]{0,80}exceeds the maximum/i,
  /reduce the length of the (?:messages|prompt|input)/i,
  /greater than the context length|context window exceeds/i,
];
const QUOTA_WORDS = [
  /credit balance is too low|insufficient (?:credits?|balance|funds|quota)/i,
  /exceeded your current quota|quota exceeded|usage limit has been reached/i,
];
const AUTH_WORDS = [/api key not (?:valid|found)|incorrect api key|invalid api key/i];

function allOf(kind: Kind, codes: readonly string[]): Record<string, Kind> {
  return Object.fromEntries(codes.map((code) => [code, kind]));
}

/** A refusal: its status and body, or an error inside a stream (`status` null). */
export type RefusedAnswer = {
  status: number | null;
  headers: IncomingHttpHeaders;
  /** The body as JSON, or the error of a stream; null: no JSON. */
  json: unknown;
  /** The body as text, for messages that are no JSON. */
  text?: string;
};

/** Interprets a refusal of any provider. `secret` is removed from its message. */
export function readRefusal(
  answer: RefusedAnswer,
  { nowMs, secret }: { nowMs: number; secret: string | null },
): Refusal {
  const error = errorOf(answer.json);
  const status = answer.status ?? statusIn(error);
  const message = wordsOf(answer, error);
  const codes = codesOf(error);
  const [code] = codes;
  const kind = kindOf(status, codes, message);
  const canReset = kind === 'usage_limited' || kind === 'provider_unreachable';
  return {
    atMs: nowMs,
    status,
    kind,
    code: code === undefined ? null : cutText(code, MAX_CODE_CHARS),
    message: cutText(withoutSecrets(message, secret), MAX_MESSAGE_CHARS),
    resetAtMs: canReset ? resetTime(answer.headers, error, nowMs) : null,
  };
}

/** The refusal for a request without a response, or whose stream broke or went silent. */
export function noAnswer(message: string, code: string | null, nowMs: number): Refusal {
  const kind = 'provider_unreachable';
  return { atMs: nowMs, status: null, kind, code, message, resetAtMs: null };
}

/** The error object, wherever a provider puts it; null: none. */
function errorOf(json: unknown): JsonObject | null {
  const body = objectOf(Array.isArray(json) ? json[0] : json);
  if (body === null) return null;
  const nested = objectOf(body['error']);
  if (nested !== null) return nested;
  const text = textOf(body['error']) ?? textOf(body['detail']);
  return text === null ? body : { ...body, message: textOf(body['message']) ?? text };
}

/** The status in an error, which some providers give as the code. */
function statusIn(error: JsonObject | null): number | null {
  const status = Number(error?.['code'] ?? Number.NaN);
  return Number.isInteger(status) && status >= 400 && status < 600 ? status : null;
}

/** Error codes from the most to the least specific. */
function codesOf(error: JsonObject | null): string[] {
  if (error === null) return [];
  const reasons = listOf(error['details']).map((one) => textOf(objectOf(one)?.['reason']));
  const named = [...reasons, ...['code', 'type', 'status'].map((name) => textOf(error[name]))];
  return named.filter(
    (code) => code !== null && !/^\d+$/.test(code) && code !== 'error',
  ) as string[];
}

function wordsOf({ status, text }: RefusedAnswer, error: JsonObject | null): string {
  const message = textOf(error?.['message']);
  if (message !== null) return message;
  const plain = text?.trim() ?? '';
  const isPage = plain.startsWith('<');
  if (plain !== '' && !isPage && error === null) return plain;
  if (status === null) return 'the answer broke off with an error';
  return isPage ? `answered ${status} with a web page` : `answered ${status} without words`;
}

function kindOf(status: number | null, codes: readonly string[], message: string): Kind {
  const named = codes
    .map((code) => KIND_BY_CODE[code.toLowerCase()])
    .filter((kind) => kind !== undefined);
  const [specific] = named.filter((kind) => !UNSPECIFIC.has(kind));
  const isTooMany = status === 429 || status === 402;
  if (isTooMany) return 'usage_limited';
  if (specific !== undefined) return specific;
  if (matches(QUOTA_WORDS, message)) return 'usage_limited';
  if (matches(AUTH_WORDS, message) || status === 401 || status === 403) return 'auth_failed';
  if (matches(CONTEXT_WORDS, message) || status === 413) return 'context_exceeded';
  if (named.length > 0 && status === null) return 'agent_error';
  if (status === null || status >= 500 || status === 408) return 'provider_unreachable';
  return 'agent_error';
}

function matches(patterns: readonly RegExp[], message: string): boolean {
  return patterns.some((pattern) => pattern.test(message));
}

/** Removes keys from a message, because providers repeat a part of a refused key. */
function withoutSecrets(message: string, secret: string | null): string {
  const plain = message.replace(/\p{Cc}+/gu, ' ').trim();
  const named = secret === null ? plain : plain.replaceAll(secret, '[key]');
  return named.replace(/\b(?:sk|key|AIza)[-_A-Za-z0-9*]*[-_*0-9][-_A-Za-z0-9*]{5,}/g, '[key]');
}
