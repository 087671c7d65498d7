import { request } from 'node:http';

export type RawAnswer = { status: number; body: string; headers: Record<string, unknown> };
export type RawRequest = {
  port: number;
  method?: string;
  path: string;
  /** Also `Host`, which `fetch` would not let anybody choose. */
  headers?: Record<string, string>;
  body?: unknown;
};

const TIMEOUT_MS = 10_000;
const MAX_BODY_CHARS = 200_000;

/** A request to a port of this machine with exactly these headers. A stream is left after its head. */
export function rawRequest(given: RawRequest): Promise<RawAnswer> {
  const { port, method = 'GET', path, headers = {} } = given;
  const body = given.body === undefined ? null : JSON.stringify(given.body);
  const about = body === null ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, method, path, headers: { ...about, ...headers }, agent: false },
      (answer) => {
        const head = { status: answer.statusCode ?? 0, headers: answer.headers };
        if (String(answer.headers['content-type']).startsWith('text/event-stream')) {
          resolve({ ...head, body: '' });
          asked.destroy();
          return;
        }
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (part: string) => {
          text = (text + part).slice(0, MAX_BODY_CHARS);
        });
        answer.once('end', () => resolve({ ...head, body: text }));
        answer.once('error', reject);
      },
    );
    asked.setTimeout(TIMEOUT_MS, () => asked.destroy(new Error(`${path} took too long`)));
    asked.once('error', reject);
    asked.end(body ?? undefined);
  });
}
