import { setTimeout as delay } from 'node:timers/promises';

const REQUEST_TIMEOUT_MS = 60_000;
/** A service that goes on refusing after this many waits is not going to answer. */
const MAX_WAITS = 20;
const MAX_WAIT_S = 120;

export type Answer = {
  status: number;
  headers: Headers;
  text: string;
  /** Parsed when it is JSON, else undefined. */
  body: unknown;
};

export type Call = {
  method: string;
  path: string;
  /** JSON unless `text` is given. */
  body?: unknown;
  text?: string;
  contentType?: string;
  headers?: Record<string, string>;
};

/** Speaks to the service under test; where it says "later", waits as long as it asks. */
export class ConformanceClient {
  readonly url: string;
  readonly #token: string | undefined;
  readonly #onWait: (seconds: number) => void;
  requests = 0;

  constructor(url: string, token: string | undefined, onWait: (seconds: number) => void) {
    this.url = url.replace(/\/+$/, '');
    this.#token = token;
    this.#onWait = onWait;
  }

  async send(call: Call): Promise<Answer> {
    for (let waits = 0; ; waits += 1) {
      const response = await this.open(call, AbortSignal.timeout(REQUEST_TIMEOUT_MS));
      const text = await response.text();
      if (response.status === 429 && waits < MAX_WAITS) {
        const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
        if (!(seconds >= 0 && seconds <= MAX_WAIT_S)) {
          throw new Error(`429 with the Retry-After ${response.headers.get('retry-after')}`);
        }
        this.#onWait(seconds);
        await delay(seconds * 1_000);
        continue;
      }
      const isJson = response.headers.get('content-type')?.includes('json') ?? false;
      const { status, headers } = response;
      return { status, headers, text, body: isJson && text !== '' ? JSON.parse(text) : undefined };
    }
  }

  /** The answer with its body unread, for streams. */
  async open(call: Call, signal: AbortSignal): Promise<Response> {
    this.requests += 1;
    const headers = new Headers(call.headers);
    if (this.#token !== undefined) headers.set('Authorization', `Bearer ${this.#token}`);
    const body = call.text ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
    if (body !== undefined && !headers.has('Content-Type'))
      headers.set('Content-Type', call.contentType ?? 'application/json');
    return fetch(`${this.url}${call.path}`, {
      method: call.method,
      headers,
      signal,
      ...(body === undefined ? {} : { body }),
    });
  }
}
