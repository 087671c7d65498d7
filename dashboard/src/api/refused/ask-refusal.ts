import { requestLimit } from './request-limit.ts';

/** A response that is not a stream. */
export type Refusal = {
  status: number;
  /** Delay that the response requests, milliseconds; null: none. */
  waitMs: number | null;
};

const TIMEOUT_MS = 10_000;

/**
 * Why a stream was refused, which browsers do not expose: repeats the request and reads only the
 * head of the response. Null where it is no longer refused, or nobody responds.
 */
export async function askRefusal(url: string): Promise<Refusal | null> {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), TIMEOUT_MS);
  try {
    const response = await fetch(url, { signal: end.signal });
    const waitMs = requestLimit.learn(response);
    return response.ok ? null : { status: response.status, waitMs };
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
    end.abort();
  }
}
