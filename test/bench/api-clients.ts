import { Agent, request } from 'node:http';
import { percentile } from './percentile.ts';

const CLIENTS = 10;
const REQUEST_TIMEOUT_MS = 30_000;

export type Rate = { requests: number; perS: number; p99Ms: number; bytes: number };

/** Ten clients, each asking again as soon as it is answered; every answer must be one that is expected. */
export async function hammer(
  url: string,
  options: { durationMs: number; headers?: Record<string, string>; expected?: readonly number[] },
): Promise<Rate> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const { headers = {}, expected = [200] } = options;
  const timesMs: number[] = [];
  let bytes = 0;
  try {
    const startMs = performance.now();
    const endMs = startMs + options.durationMs;
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        while (performance.now() < endMs) {
          const beganMs = performance.now();
          const answer = await ask(url, agent, headers);
          timesMs.push(performance.now() - beganMs);
          if (!expected.includes(answer.status))
            throw new Error(`${url} answered ${answer.status}`);
          bytes = answer.bytes;
        }
      }),
    );
    const seconds = (performance.now() - startMs) / 1_000;
    const { length: requests } = timesMs;
    return { requests, perS: requests / seconds, p99Ms: percentile(timesMs, 0.99), bytes };
  } finally {
    agent.destroy();
  }
}

function ask(
  url: string,
  agent: Agent,
  headers: Record<string, string>,
): Promise<{ status: number; bytes: number }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent, headers, timeout: REQUEST_TIMEOUT_MS }, (response) => {
      let bytes = 0;
      response.on('data', (part: Buffer) => void (bytes += part.length));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, bytes }));
      response.on('error', reject);
    });
    asked.on('timeout', () => asked.destroy(new Error(`${url} did not answer in time`)));
    asked.on('error', reject);
    asked.end();
  });
}
