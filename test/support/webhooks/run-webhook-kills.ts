import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@libsql/client';
import { PlaneProcess } from '../chaos/plane-process.ts';
import { type SeededRandom, seededRandom } from '../chaos/seeded-random.ts';
import { until } from '../e2e/until.ts';
import { startFakeLinear } from '../linear/fake-linear.ts';
import { type BurstDelivery, sendSigned } from './signed-burst.ts';

const SECRET = 'webhook-kills-secret';
const NEVER_MS = '3600000';
const SENDERS = 8;
const ISSUES = 25;
/** Of so many deliveries one is sent again after it was acknowledged. */
const REPEAT_ONE_IN = 7;
const MAX_KILL_DELAY_MS = 40;
const RESEND_AFTER_MS = 50;
const SETTLE_TIMEOUT_MS = 120_000;

export type WebhookKills = {
  deliveries: number;
  kills: number;
  seed: number;
  keepFolder: boolean;
  say: (line: string) => void;
};

/** Everything but the first three and the last two is 0 when nothing is wrong. */
export type WebhookKillsResult = {
  deliveries: number;
  acknowledged: number;
  kills: number;
  /** Acknowledged, and not there afterwards. */
  lost: number;
  /** Acknowledged, and not processed. */
  unprocessed: number;
  /** Processed more than once, by the events. */
  processedTwice: number;
  dead: number;
  seed: number;
  durationMs: number;
};

/**
 * Sends a burst of signed deliveries of both providers at a real control plane and kills it with
 * SIGKILL right after acknowledgements, spread over the burst. What was not acknowledged is sent
 * again under its id, and some of what was. In the end the rows and events say what became of it.
 */
export async function runWebhookKills(
  run: WebhookKills,
): Promise<{ result: WebhookKillsResult; folder: string }> {
  const startedAtMs = performance.now();
  const folder = await mkdtemp(join(tmpdir(), 'swy-webhooks-'));
  const linear = await startFakeLinear();
  const random = seededRandom(run.seed);
  const plane = new PlaneProcess({ folder, env: planeEnvironment(linear) });
  let isWrong = true;
  try {
    const issues = Array.from({ length: ISSUES }, (_, index) =>
      linear.world.add({ title: `Issue ${index}` }, linear.world.ada),
    );
    const burst = Array.from({ length: run.deliveries }, (_, index) =>
      deliveryOf(index, issues[index % ISSUES]?.id ?? ''),
    );
    await plane.start();
    const { acknowledged, kills } = await sendAndKill(plane, burst, run, random);
    await until(
      () => count(folder, `select count(*) from webhook_deliveries where status = 'pending'`),
      (pending) => pending === 0,
      { what: 'every delivery processed', timeoutMs: SETTLE_TIMEOUT_MS },
    );
    await plane.end('SIGKILL');
    const result = {
      deliveries: run.deliveries,
      acknowledged: acknowledged.size,
      kills,
      ...(await judge(folder, acknowledged)),
      seed: run.seed,
      durationMs: Math.round(performance.now() - startedAtMs),
    };
    isWrong = result.lost + result.unprocessed + result.processedTwice + result.dead > 0;
    return { result, folder };
  } catch (error) {
    throw new Error(`${String(error)}\nthe control plane wrote:\n${plane.output.slice(-4_000)}`, {
      cause: error,
    });
  } finally {
    await plane.end('SIGKILL');
    await linear.close();
    if (!run.keepFolder && !isWrong) {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  }
}

function deliveryOf(index: number, issueId: string): BurstDelivery {
  if (index % 3 !== 2) {
    const body = { action: 'update', type: 'Issue', data: { id: issueId } };
    return { provider: 'tracker', deliveryId: `tracker-${index}`, body };
  }
  const repository = { full_name: 'acme/project' };
  const body = { action: 'closed', number: index, repository, pull_request: { number: index } };
  return { provider: 'codehost', deliveryId: `codehost-${index}`, body };
}

/** Sends everything until it is acknowledged; the ids of what was, and how often it was killed. */
async function sendAndKill(
  plane: PlaneProcess,
  burst: readonly BurstDelivery[],
  run: WebhookKills,
  random: SeededRandom,
): Promise<{ acknowledged: Set<string>; kills: number }> {
  const acknowledged = new Set<string>();
  const killAfter = new Set(
    Array.from({ length: run.kills }, (_, index) =>
      Math.floor(((index + 1) * burst.length) / (run.kills + 1)),
    ),
  );
  const state: { kills: number; killing: Promise<void> | null } = { kills: 0, killing: null };
  const kill = async () => {
    await delay(random.between(0, MAX_KILL_DELAY_MS));
    await plane.end('SIGKILL');
    state.kills += 1;
    run.say(`killed after ${acknowledged.size} acknowledged deliveries`);
    await plane.start();
  };
  const left = burst.entries();
  const sender = async () => {
    for (const [index, delivery] of left) {
      for (;;) {
        await state.killing;
        const status = await sendSigned(plane.url, SECRET, delivery);
        if (status === 200) break;
        if (status !== 0) throw new Error(`a delivery was answered ${status}`);
        await delay(RESEND_AFTER_MS);
      }
      acknowledged.add(delivery.deliveryId);
      if (killAfter.delete(acknowledged.size) && state.killing === null) {
        state.killing = kill().finally(() => (state.killing = null));
        state.killing.catch(() => undefined);
      }
      if (index % REPEAT_ONE_IN === 0) await sendSigned(plane.url, SECRET, delivery);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  await state.killing;
  return { acknowledged, kills: state.kills };
}

async function judge(folder: string, acknowledged: ReadonlySet<string>) {
  const client = createClient({ url: databaseUrl(folder) });
  try {
    const rows = await client.execute('select delivery_id, status from webhook_deliveries');
    const status = new Map(rows.rows.map((row) => [row[0] as string, row[1] as string]));
    const events = await client.execute(`
      select e.value ->> '$.data.deliveryId' as delivered, count(*)
      from event_chunks, json_each(items) e
      where e.value ->> '$.type' = 'webhook.processed' group by delivered`);
    const times = new Map(events.rows.map((row) => [row[0] as string, Number(row[1])]));
    const ids = [...acknowledged];
    return {
      lost: ids.filter((id) => !status.has(id)).length,
      unprocessed: ids.filter((id) => (times.get(id) ?? 0) === 0).length,
      processedTwice: [...times.values()].filter((each) => each > 1).length,
      dead: [...status.values()].filter((each) => each === 'dead').length,
    };
  } finally {
    client.close();
  }
}

async function count(folder: string, query: string): Promise<number> {
  const client = createClient({ url: databaseUrl(folder) });
  try {
    return Number((await client.execute(query)).rows[0]?.[0] ?? 0);
  } finally {
    client.close();
  }
}

const databaseUrl = (folder: string) => `file:${join(folder, 'data', 'switchyard.db')}`;

function planeEnvironment(linear: { endpoint: string; apiKey: string }): Record<string, string> {
  return {
    SERVICE_CONFIG__tracker__kind: 'linear',
    SERVICE_CONFIG__tracker__linear__endpoint: linear.endpoint,
    SERVICE_CONFIG__tracker__linear__apiKey: linear.apiKey,
    SERVICE_CONFIG__webhook__webhookSecret: SECRET,
    SERVICE_CONFIG__webhook__pollingStretchMs: NEVER_MS,
    SERVICE_CONFIG__polling__intervalMs: NEVER_MS,
    SERVICE_CONFIG__limits__webhooksPerMinute: '1000000',
  };
}
