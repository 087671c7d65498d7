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

/** What a failed call says. `status` is 0 when the service could not be reached at all. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string | null;
  readonly details: { path: string; message: string }[];
  /** How long the answer asks to wait before the next try, milliseconds; null: it does not say. */
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

/** What a route with an `:id` in its path needs. */
export const withId = (id: string) => ({ param: { id: at(id) } });

/** What a call needs to end with the query that asked for it. */
export const until = (signal: AbortSignal) => ({ init: { signal } });

/** What a route answers when all is well; the client's type names refusals too. */
type Answer<R> =
  R extends ClientResponse<infer Body, infer Status, string>
    ? Status extends 200 | 201 | 202
      ? Body
      : Status extends 204
        ? null
        : never
    : never;

/** The body of an answer. Throws ApiError with the server's own message; gives up after 20 s. */
export async function answer<R>(call: Promise<R>): Promise<Answer<R>> {
  const response = (await call) as Response;
  if (response.status === 204) return null as Answer<R>;
  return (await response.json()) as Answer<R>;
}

/** As `answer`, for the few bodies that are plain text. */
export async function answerText(call: Promise<unknown>): Promise<string> {
  return ((await call) as Response).text();
}

/** Whether the service still has what one of its paths answers. Throws ApiError where it does not say. */
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

/** Who is not known, or known and not entitled: another token helps against both. */
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
  // Of a proxy, or of whatever else stands before the service.
  const words = `${asSentence(answerMessage(status))}.`;
  return new ApiError(status, withWait(words, status, waitMs), { waitMs });
}

/** What a person asked for is not repeated by itself. */
function withWait(words: string, status: number, waitMs: number | null): string {
  if (status !== 429 || waitMs === null) return words;
  return `${asSentence(words).replace(/\.$/, '')}. Try again in ${formatDuration(waitMs)}.`;
}

function isErrorBody(body: unknown): body is ErrorBody {
  return (
    typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
  );
}

/** The sentence to show for anything thrown. */
export function errorText(error: unknown): string {
  if (error instanceof ApiError) {
    const details = error.details.map((detail) => `${detail.path}: ${detail.message}`);
    return [error.message, ...details.filter((words) => words !== error.message)].join(' ');
  }
  return messageOf(error);
}
