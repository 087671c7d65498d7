import { LibsqlError } from '@libsql/client/web';
import { DatabaseAway } from '../database-away.ts';

/** Longer than a server takes for any query of this service. */
export const READ_TIMEOUT_MS = 10_000;
export const WRITE_TIMEOUT_MS = 15_000;
/** Timeout for a server that did not answer the last time. */
const HANGING_TIMEOUT_MS = 2_000;
/** With their delays at most about 3.5 s, in which even a busy server answers. */
const MAX_TRIES = 8;
const RETRY_BASE_MS = 25;
const MAX_WAIT_MS = 1_000;

/** Address of a libSQL server, and its token. */
export type ServerAddress = { url: string; authToken?: string };

/** No response in time: the request may still wait at the server and take effect later. */
export class NoAnswer extends DatabaseAway {}

/**
 * A `fetch` for a libSQL server that throws DatabaseAway when there is no response. While a server
 * hangs, further requests time out sooner, because one API request may make several.
 */
export function createServerFetch(timeoutMs: number): (request: Request) => Promise<Response> {
  let hangs = false;
  return async (request) => {
    const waitMs = hangs ? Math.min(timeoutMs, HANGING_TIMEOUT_MS) : timeoutMs;
    try {
      const answer = await fetchWithin(request, waitMs);
      hangs = false;
      return answer;
    } catch (error) {
      hangs = error instanceof NoAnswer;
      throw error;
    }
  };
}

/** The timer ends with the response: a remaining one would keep a Durable Object awake. */
async function fetchWithin(request: Request, timeoutMs: number): Promise<Response> {
  const stop = new AbortController();
  const noAnswer = `it does not answer within ${timeoutMs / 1_000} s`;
  const timer = setTimeout(() => stop.abort(new Error(noAnswer)), timeoutMs);
  try {
    const answer = await fetch(request, { signal: stop.signal });
    return new Response(await answer.arrayBuffer(), answer);
  } catch (error) {
    if (stop.signal.aborted) throw new NoAnswer(noAnswer, { cause: error });
    throw new DatabaseAway('it cannot be reached', { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Retries, with jitter, a server that is busy or limits requests (429). Other failures are not
 * retried, because a write with a lost response may have taken effect. Throws DatabaseAway when the
 * server serves nothing now, and LibsqlError when it refuses the statements.
 */
export async function retryBusy<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const away = whyAway(error);
      if (!isBusy(error) || tries >= MAX_TRIES)
        throw away === null ? error : new DatabaseAway(away, { cause: error });
      const waitMs = Math.random() * Math.min(RETRY_BASE_MS * 2 ** tries, MAX_WAIT_MS);
      await new Promise<void>((resolve) => setTimeout(resolve, waitMs));
    }
  }
}

/** Whether the server refused before doing anything. */
function isBusy(error: unknown): boolean {
  if (!(error instanceof LibsqlError)) return false;
  return error.code.startsWith('SQLITE_BUSY') || httpStatus(error) === 429;
}

/** Why the server serves nothing now, for people; null for any other error. */
function whyAway(error: unknown): string | null {
  if (!(error instanceof LibsqlError)) return null;
  if (error.code.startsWith('SQLITE_BUSY')) return 'another writer holds its lock';
  const status = httpStatus(error);
  if (status === 401 || status === 403) return `it refuses the token (HTTP ${status})`;
  if (status === 429) return 'it takes no more requests now (HTTP 429)';
  return status !== null && status >= 500 ? `it answers HTTP ${status}` : null;
}

/**
 * The HTTP status of a response outside the protocol, which the client reports as the cause; null:
 * none.
 */
function httpStatus({ cause }: LibsqlError): number | null {
  const status = cause instanceof Error && 'status' in cause ? cause.status : null;
  return typeof status === 'number' ? status : null;
}
