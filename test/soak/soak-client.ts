import { messageOf } from '@switchyard/shared/message-of';
import { Agent, request as httpRequest } from 'node:http';

const REQUEST_TIMEOUT_MS = 30_000;
const MAX_PROBLEMS = 50;
/** Statuses above 500 that the interface gives a meaning. */
const MEANT = new Set([501, 502, 503]);

/** What all clients of a run saw together. */
export class Tally {
  requests = 0;
  readonly byStatus: Record<string, number> = {};
  readonly problems: string[] = [];

  count(status: number): void {
    this.requests += 1;
    this.byStatus[status] = (this.byStatus[status] ?? 0) + 1;
  }

  /** Keeps the first ones: what follows is mostly the same again. */
  problem(text: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(text);
  }
}

export type SoakAnswer = {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  text: string;
};

/** One client of the service, with a loopback address of its own to be counted under. */
export class SoakClient {
  readonly #url: string;
  readonly #address: string;
  readonly #tally: Tally;
  readonly #headers: Record<string, string>;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 4 });

  /** `headers` go with every request. */
  constructor(url: string, address: string, tally: Tally, headers: Record<string, string> = {}) {
    this.#url = url;
    this.#address = address;
    this.#tally = tally;
    this.#headers = headers;
  }

  /** Notes what may never be answered. Status 0: no answer at all, which is noted too. */
  async send(
    method: string,
    path: string,
    more: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<SoakAnswer> {
    const name = `${method} ${path}`;
    try {
      const answer = await this.#sendAgain(method, path, more);
      this.#tally.count(answer.status);
      if (answer.status >= 500 && !MEANT.has(answer.status)) {
        this.#tally.problem(`${name} answered ${answer.status}: ${answer.text.slice(0, 500)}`);
      }
      return answer;
    } catch (error) {
      this.#tally.count(0);
      this.#tally.problem(`${name}: ${messageOf(error)}`);
      return { status: 0, headers: {}, text: '' };
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  /** A kept connection may be closed just as it is used again: then once more on a new one. */
  async #sendAgain(
    method: string,
    path: string,
    more: { body?: unknown; headers?: Record<string, string> },
  ): Promise<SoakAnswer> {
    try {
      return await this.#once(method, path, more);
    } catch (error) {
      const reused = error instanceof Error && 'reused' in error && error.reused === true;
      if (!reused) throw error;
      return this.#once(method, path, more);
    }
  }

  #once(
    method: string,
    path: string,
    more: { body?: unknown; headers?: Record<string, string> },
  ): Promise<SoakAnswer> {
    const body = more.body === undefined ? undefined : JSON.stringify(more.body);
    const headers: Record<string, string> = { ...this.#headers, ...more.headers };
    if (body !== undefined) {
      headers['Content-Type'] = 'application/json';
      headers['Content-Length'] = String(Buffer.byteLength(body));
    }
    return new Promise((resolve, reject) => {
      const call = httpRequest(`${this.#url}${path}`, {
        method,
        headers,
        agent: this.#agent,
        localAddress: this.#address,
        timeout: REQUEST_TIMEOUT_MS,
      });
      call.once('timeout', () => call.destroy(new Error(`no answer in ${REQUEST_TIMEOUT_MS} ms`)));
      call.once('error', (error: NodeJS.ErrnoException) => {
        const reused = call.reusedSocket && error.code === 'ECONNRESET';
        reject(Object.assign(error, { reused }));
      });
      call.once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: singleHeaders(response.headers),
            text: Buffer.concat(chunks).toString(),
          }),
        );
      });
      call.end(body);
    });
  }
}

function singleHeaders(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );
}
