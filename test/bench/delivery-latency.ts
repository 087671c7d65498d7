import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@libsql/client';
import { EMPTY_DIGEST } from '@switchyard/shared/protocol/event-digest';
import WebSocket, { WebSocketServer } from 'ws';
import { createLinearHarness } from '../support/linear/linear-harness.ts';
import { connectFleet } from './bench-fleet.ts';
import type { BenchLease, BenchRunner } from './bench-runner.ts';
import { createDeliverySender } from './delivery-sender.ts';
import { startLinearControlPlane } from './linear-control-plane.ts';
import { percentile } from './percentile.ts';

export type DeliveryLatency = {
  issues: number;
  /** From the acknowledgement of a delivery at its sender to `granted` at a runner. */
  p50Ms: number;
  p99Ms: number;
  /** One question for one issue at the tracker, which each delivery leads to. */
  trackerP50Ms: number;
  /** One insert with its commit, in a database beside the control plane's. */
  insertP50Ms: number;
  /** One message there and back over a socket on this machine. */
  roundTripP50Ms: number;
  /** The medians: a grant in units of one durable insert plus one round trip. */
  ratio: number;
};

const ISSUES = 100;
const WARM_ISSUES = 10;
const RUNNERS = 10;
const SLOTS = 10;
const GRANT_TIMEOUT_MS = 30_000;
/** Until what the last attempt left to do is done, and the coordinator rests. */
const PAUSE_MS = 400;
const REFERENCES = 500;
const QUESTIONS = 200;

/** One delivery at a time on a service that is at rest; each attempt is finished before the next. */
export async function measureDeliveryLatency(): Promise<DeliveryLatency> {
  const { controlPlane, linear, secret, close } = await startLinearControlPlane();
  const sender = createDeliverySender(controlPlane.url, secret, 1);
  try {
    const insertP50Ms = await durableInsertMs(controlPlane.dataDir);
    const roundTripP50Ms = await socketRoundTripMs();
    const runners = await connectFleet(controlPlane, { count: RUNNERS, slots: SLOTS });
    const { world } = linear;
    const stateId = world.stateNamed('Todo').id;
    const times: number[] = [];
    for (let issue = 1; issue <= WARM_ISSUES + ISSUES; issue += 1) {
      const { id } = world.add({ title: `Bench ${issue}`, stateId }, world.ada);
      const granted = nextGrant(runners);
      const { answeredAtMs, status } = await sender.send({
        deliveryId: `one-${issue}`,
        issueId: id,
      });
      if (status !== 200) throw new Error(`a delivery was answered ${status}`);
      const { runner, lease } = await granted;
      times.push(Math.max(0, lease.atMs - answeredAtMs));
      await finish(runner, lease);
      await delay(PAUSE_MS);
    }
    for (const runner of runners) runner.close();
    const counted = times.slice(WARM_ISSUES);
    const p50Ms = percentile(counted, 0.5);
    return {
      issues: counted.length,
      p50Ms,
      p99Ms: percentile(counted, 0.99),
      trackerP50Ms: await trackerQuestionMs(),
      insertP50Ms,
      roundTripP50Ms,
      ratio: p50Ms / (insertP50Ms + roundTripP50Ms),
    };
  } finally {
    sender.close();
    await close();
  }
}

function nextGrant(runners: readonly BenchRunner[]) {
  return new Promise<{ runner: BenchRunner; lease: BenchLease }>((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error('no grant came')), GRANT_TIMEOUT_MS);
    for (const runner of runners) {
      runner.onGranted((lease) => {
        clearTimeout(limit);
        resolve({ runner, lease });
      });
    }
  });
}

function finish(runner: BenchRunner, { attemptId, epoch }: BenchLease): Promise<void> {
  return new Promise((resolve) => {
    runner.onFinished(() => {
      runner.drop(attemptId);
      resolve();
    });
    runner.send({
      ...{ type: 'finish', attemptId, epoch, finalSeq: 0, digest: EMPTY_DIGEST },
      ...{ outcome: 'completed', marker: 'DONE', summary: 'Done.' },
    });
  });
}

/** Median of one issue asked for at the same fake tracker. */
async function trackerQuestionMs(): Promise<number> {
  const { fake, tracker, close } = await createLinearHarness();
  try {
    const { id } = fake.world.add({ title: 'Asked for' }, fake.world.ada);
    const times: number[] = [];
    for (let index = 0; index < QUESTIONS; index += 1) {
      const startedAtMs = performance.now();
      await tracker.fetchByIds([id]);
      times.push(performance.now() - startedAtMs);
    }
    return percentile(times, 0.5);
  } finally {
    await close();
  }
}

/** Median of one row inserted and committed to the disk, with the product's pragmas. */
async function durableInsertMs(dataDir: string): Promise<number> {
  const client = createClient({ url: `file:${dataDir}/reference.db`, concurrency: 1 });
  try {
    await client.execute('PRAGMA journal_mode=WAL');
    await client.execute('PRAGMA synchronous=FULL');
    await client.execute('create table reference (id integer primary key, body text)');
    const times: number[] = [];
    for (let index = 0; index < REFERENCES; index += 1) {
      const startedAtMs = performance.now();
      const args = ['x'.repeat(400)];
      await client.batch([{ sql: 'insert into reference (body) values (?)', args }], 'write');
      times.push(performance.now() - startedAtMs);
    }
    return percentile(times, 0.5);
  } finally {
    client.close();
  }
}

async function socketRoundTripMs(): Promise<number> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (socket) => socket.on('message', (data) => socket.send(data)));
  await new Promise<void>((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    const times: number[] = [];
    for (let index = 0; index < REFERENCES; index += 1) {
      const startedAtMs = performance.now();
      const answered = new Promise<void>((resolve) => socket.once('message', () => resolve()));
      socket.send('x'.repeat(200));
      await answered;
      times.push(performance.now() - startedAtMs);
    }
    return percentile(times, 0.5);
  } finally {
    socket.terminate();
    server.close();
  }
}
