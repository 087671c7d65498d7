import { requestLimit } from './request-limit.ts';

/** An answer that is no stream. */
export type Refusal = {
  status: number;
  /** How long it asks to wait, milliseconds; null: it does not say. */
  waitMs: number | null;
};

const TIMEOUT_MS = 10_000;

/**
 * Why a stream was refused, which a browser does not tell: asked anew, for the head of the answer
 * alone. Null where it is not refused any more, or nobody answers.
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
