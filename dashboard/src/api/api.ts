import type { createApp } from '@switchyard/control-plane/app';
import type { ErrorBody } from '@switchyard/shared/api/error-body';
import { messageOf } from '@switchyard/shared/message-of';
import { type ClientResponse, hc } from 'hono/client';
import { answerMessage } from '@switchyard/shared/network/answer-message';
import { asSentence } from '@switchyard/shared/reasons/as-sentence';
import { formatDuration } from '../format/time.ts';
import { requestLimit } from './refused/request-limit.ts';
import { learnServiceClock } from './service-clock.ts';
import { askToSignIn } from './sign-in-wanted.ts';

const REQUEST_TIMEOUT_MS = 20_000;

/** The error of a failed call. `status` is 0 when the service could not be reached. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string | null;
  readonly details: { path: string; message: string }[];
  /** Delay before the next try that the response requests, milliseconds; null: none. */
  readonly waitMs: number | null;

  constructor(
    status: number,
    message: string,
    { body, waitMs = null }: { body?: ErrorBody; waitMs?: number | null } = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = body?.code ?? null;
    this.details = body?.details ?? [];
    this.waitMs = waitMs;
  }
}

/**
 * Every route of the service under its path, typed by the service itself:
 * `api.runners.$get({ query })`. Path parameters go through `at`; await the result with `answer`.
 */
export const api = hc<ReturnType<typeof createApp>>('/', { fetch: send }).api.v1;

/** A value as one segment of a path. */
export const at = encodeURIComponent;

/** Options of a route with an `:id` in its path. */
export const withId = (id: string) => ({ param: { id: at(id) } });

/** Options that abort a call together with the query that made it. */
export const until = (signal: AbortSignal) => ({ init: { signal } });

/** The successful response of a route; the client's type also includes refusals. */
type Answer<R> =
  R extends ClientResponse<infer Body, infer Status, string>
    ? Status extends 200 | 201 | 202
      ? Body
      : Status extends 204
        ? null
        : never
    : never;

/** The body of a response. Throws ApiError with the server's own message; times out after 20 s. */
export async function answer<R>(call: Promise<R>): Promise<Answer<R>> {
  const response = (await call) as Response;
  if (response.status === 204) return null as Answer<R>;
  return (await response.json()) as Answer<R>;
}

/** The body of a plain-text response, with the errors of `answer`. */
export async function answerText(call: Promise<unknown>): Promise<string> {
  return ((await call) as Response).text();
}

/**
 * Whether the service still has the file at one of its paths. Throws ApiError where the response
 * does not tell.
 */
export async function isKept(path: string): Promise<boolean> {
  try {
    return (await send(path, { method: 'HEAD' })).ok;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}

async function send(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const given = init.signal ?? null;
  const signal = given === null ? timeout : AbortSignal.any([given, timeout]);
  const sentMs = Date.now();
  const response = await fetch(url, { ...init, signal }).catch((error: unknown) => {
    if (given?.aborted) throw error;
    throw new ApiError(
      0,
      timeout.aborted ? 'The service did not respond in time.' : 'The service cannot be reached.',
    );
  });
  learnServiceClock(response, sentMs);
  if (!response.ok) {
    const error = await readError(response);
    if (isUnknownCaller(error)) askToSignIn(error.message, { byItself: isRead(init.method) });
    throw error;
  }
  return response;
}

/** Whether the caller is unknown, or known and not permitted: another token helps against both. */
function isUnknownCaller({ status, code }: ApiError): boolean {
  return status === 401 || (status === 403 && code === 'insufficient_scope');
}

function isRead(method = 'GET'): boolean {
  return method === 'GET' || method === 'HEAD';
}

async function readError(response: Response): Promise<ApiError> {
  const waitMs = requestLimit.learn(response);
  const body: unknown = await response.json().catch(() => null);
  const { status } = response;
  if (isErrorBody(body))
    return new ApiError(status, withWait(body.error, status, waitMs), { body, waitMs });
  // The response comes from a proxy or something else in front of the service.
  const message = `${asSentence(answerMessage(status))}.`;
  return new ApiError(status, withWait(message, status, waitMs), { waitMs });
}

/**
 * The message with the delay before a new try: a person's request is not repeated automatically.
 */
function withWait(message: string, status: number, waitMs: number | null): string {
  if (status !== 429 || waitMs === null) return message;
  return `${asSentence(message).replace(/\.$/, '')}. Try again in ${formatDuration(waitMs)}.`;
}

function isErrorBody(body: unknown): body is ErrorBody {
  return (
    typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
  );
}

/** The message of any thrown value, as a sentence. */
export function errorText(error: unknown): string {
  if (error instanceof ApiError) {
    const details = error.details.map((detail) => `${detail.path}: ${detail.message}`);
    return [error.message, ...details.filter((text) => text !== error.message)].join(' ');
  }
  return messageOf(error);
}
