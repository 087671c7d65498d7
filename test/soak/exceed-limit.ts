import { ErrorBody } from '@switchyard/shared/api/error-body';
import type { SoakAnswer, SoakClient, Tally } from './soak-client.ts';
import { wait } from './wait.ts';

const LIMIT_PER_MINUTE = 300;
/** More than the limit in less than its minute must be refused. */
const BURST = 450;
const AT_A_TIME = 10;
const MINUTE_MS = 60_000;
const PATH = '/api/v1/runtime';

export type LimitReport = { refused: number; recovered: number };

/**
 * Asks far more often than the limit allows until it is refused, waits as long as it is told to,
 * and must then be served again; over and over until the run ends.
 */
export async function exceedLimit(
  client: SoakClient,
  tally: Tally,
  signal: AbortSignal,
): Promise<LimitReport> {
  const report = { refused: 0, recovered: 0 };
  while (!signal.aborted) {
    const refusal = await burst(client, tally, signal);
    if (refusal === null) continue;
    report.refused += 1;
    const seconds = Number(refusal.headers['retry-after']);
    const body = ErrorBody.safeParse(parsed(refusal.text));
    if (!Number.isInteger(seconds) || seconds < 1 || seconds > 60) {
      tally.problem(`429 with the Retry-After ${refusal.headers['retry-after']}`);
      return report;
    }
    if (!body.success || body.data.status !== 429) tally.problem('429 without the error envelope');
    await wait(seconds * 1_000, signal);
    if (signal.aborted) return report;
    const { status } = await client.send('GET', PATH);
    if (status === 200) report.recovered += 1;
    else tally.problem(`${status} after waiting out the Retry-After of ${seconds} s`);
  }
  return report;
}

/** The first refusal; null when the machine was too slow to reach the limit, or the run ended. */
async function burst(
  client: SoakClient,
  tally: Tally,
  signal: AbortSignal,
): Promise<SoakAnswer | null> {
  const startMs = performance.now();
  for (let sent = 0; sent < BURST && !signal.aborted; sent += AT_A_TIME) {
    const asked = Array.from({ length: AT_A_TIME }, () => client.send('GET', PATH));
    const refused = (await Promise.all(asked)).find(({ status }) => status === 429);
    if (refused !== undefined) return refused;
  }
  if (!signal.aborted && performance.now() - startMs < MINUTE_MS) {
    tally.problem(`${BURST} requests within a minute, and none refused at ${LIMIT_PER_MINUTE}`);
  }
  return null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
