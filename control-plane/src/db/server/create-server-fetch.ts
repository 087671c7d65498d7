import { LibsqlError } from '@libsql/client/web';
import { DatabaseAway } from '../database-away.ts';

/** Longer than a server takes for anything that is asked of it here. */
export const READ_TIMEOUT_MS = 10_000;
export const WRITE_TIMEOUT_MS = 15_000;
/** For a server that did not answer the last time. */
const HANGING_TIMEOUT_MS = 2_000;
/** With their waits some 3.5 s at most: a server of many writers gives way well within that. */
const MAX_TRIES = 8;
const RETRY_BASE_MS = 25;
const MAX_WAIT_MS = 1_000;

/** Where a libSQL server is, and the token that it asks for. */
export type ServerAddress = { url: string; authToken?: string };

/** No answer came in time: what was asked may still wait at the server and happen later. */
export class NoAnswer extends DatabaseAway {}

/**
 * A `fetch` for a libSQL server that throws DatabaseAway when no answer comes. While a server hangs,
 * whoever asks next waits for a shorter time: a request to us may ask it several times.
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

/** The timer ends with the answer: one that is left would keep its object from sleeping. */
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
 * Asks a server again, with jitter, that is busy or takes no more requests now (429); nothing else is
 * asked again, since a write whose answer was lost may have happened. Throws DatabaseAway when the
 * server cannot be asked, and LibsqlError for what it refuses.
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

/** Refused before anything was done. */
function isBusy(error: unknown): boolean {
  if (!(error instanceof LibsqlError)) return false;
  return error.code.startsWith('SQLITE_BUSY') || httpStatus(error) === 429;
}

/** Why the server could not be asked, in words; null when it answered. */
function whyAway(error: unknown): string | null {
  if (!(error instanceof LibsqlError)) return null;
  if (error.code.startsWith('SQLITE_BUSY')) return 'another writer holds its lock';
  const status = httpStatus(error);
  if (status === 401 || status === 403) return `it refuses the token (HTTP ${status})`;
  if (status === 429) return 'it takes no more requests now (HTTP 429)';
  return status !== null && status >= 500 ? `it answers HTTP ${status}` : null;
}

/** The client gives an answer that is none of the protocol as the cause, with its status. */
function httpStatus({ cause }: LibsqlError): number | null {
  const status = cause instanceof Error && 'status' in cause ? cause.status : null;
  return typeof status === 'number' ? status : null;
}
