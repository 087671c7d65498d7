import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { until } from '../support/e2e/until.ts';
import { createDeliverySender, type DeliverySender } from './delivery-sender.ts';
import { startLinearControlPlane } from './linear-control-plane.ts';
import { percentile } from './percentile.ts';

export type DeliveryBurst = {
  deliveries: number;
  connections: number;
  /** Deliveries that were not answered with 200, or of which no row is there afterwards. */
  lost: number;
  /** Rows that were not processed, or more than once by the events. */
  notOnce: number;
  acknowledgedPerS: number;
  ackP50Ms: number;
  ackP99Ms: number;
  ackMaxMs: number;
  /** From the first delivery until the last was processed. */
  processedPerS: number;
  trackerRequests: number;
  /** Processor time of the control plane for one delivery, acknowledged and processed. */
  deliveryCpuMs: number;
};

const DELIVERIES = 10_000;
const CONNECTIONS = 32;
const ISSUES = 500;
const WARM_DELIVERIES = 100;
const PROCESS_TIMEOUT_MS = 300_000;

/** As many senders as connections, each sending as soon as its last delivery was acknowledged. */
export async function measureDeliveryBurst(
  deliveries = DELIVERIES,
  connections = CONNECTIONS,
): Promise<DeliveryBurst> {
  const { controlPlane, linear, secret, close } = await startLinearControlPlane();
  const sender = createDeliverySender(controlPlane.url, secret, connections);
  try {
    const { world } = linear;
    const issues = Array.from({ length: ISSUES }, (_, index) =>
      world.add({ title: `Issue ${index}` }, world.ada),
    );
    const issueId = (index: number) => issues[index % ISSUES]?.id ?? '';
    const ids = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({
        deliveryId: `${prefix}-${index}`,
        issueId: issueId(index),
      }));
    await sendAll(sender, ids('warm', WARM_DELIVERIES), connections);
    await processed(controlPlane.dataDir, WARM_DELIVERIES);
    const before = linear.requests.length;
    const { cpuMs } = await controlPlane.use();
    const startedAtMs = performance.now();
    const answers = await sendAll(sender, ids('burst', deliveries), connections);
    const sentMs = performance.now() - startedAtMs;
    await processed(controlPlane.dataDir, WARM_DELIVERIES + deliveries);
    const processedMs = performance.now() - startedAtMs;
    const usedMs = (await controlPlane.use()).cpuMs - cpuMs;
    const times = answers.map(({ sentAtMs, answeredAtMs }) => answeredAtMs - sentAtMs);
    const { stored, once } = await counted(controlPlane.dataDir, 'burst-%');
    return {
      deliveries,
      connections,
      lost: deliveries - Math.min(stored, answers.filter(({ status }) => status === 200).length),
      notOnce: deliveries - once,
      acknowledgedPerS: (deliveries / sentMs) * 1_000,
      ackP50Ms: percentile(times, 0.5),
      ackP99Ms: percentile(times, 0.99),
      ackMaxMs: Math.max(...times),
      processedPerS: (deliveries / processedMs) * 1_000,
      trackerRequests: linear.requests.length - before,
      deliveryCpuMs: usedMs / deliveries,
    };
  } finally {
    sender.close();
    await close();
  }
}

async function sendAll(
  sender: DeliverySender,
  deliveries: readonly { deliveryId: string; issueId: string }[],
  atOnce: number,
) {
  const answers: Awaited<ReturnType<DeliverySender['send']>>[] = [];
  const left = deliveries.values();
  const work = async () => {
    for (const delivery of left) answers.push(await sender.send(delivery));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return answers;
}

/** Waits until so many deliveries are over. */
async function processed(dataDir: string, count: number): Promise<void> {
  await until(
    () => number(dataDir, `select count(*) from webhook_deliveries where status = 'processed'`),
    (done) => done >= count,
    { what: `${count} deliveries processed`, timeoutMs: PROCESS_TIMEOUT_MS },
  );
}

/** Deliveries with such ids: rows, and those of which exactly one event says they were processed. */
async function counted(dataDir: string, like: string): Promise<{ stored: number; once: number }> {
  const stored = await number(
    dataDir,
    `select count(*) from webhook_deliveries where delivery_id like '${like}'`,
  );
  const once = await number(
    dataDir,
    `select count(*) from (
      select e.value ->> '$.data.deliveryId' as delivery from event_chunks, json_each(items) e
      where e.value ->> '$.type' = 'webhook.processed' and delivery like '${like}'
      group by delivery having count(*) = 1)`,
  );
  return { stored, once };
}

async function number(dataDir: string, query: string): Promise<number> {
  const client = createClient({ url: `file:${join(dataDir, 'switchyard.db')}` });
  try {
    const { rows } = await client.execute(query);
    return Number(rows[0]?.[0] ?? 0);
  } finally {
    client.close();
  }
}
