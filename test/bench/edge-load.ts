import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EMPTY_DIGEST, extendDigest } from '@switchyard/shared/protocol/extend-digest';
import { eventsMessage, note, numbered } from '../support/core/scripted-runner.ts';
import { type SocketLine, SocketRunner } from '../support/core/socket-runner.ts';
import { startSqld } from '../support/sqld/start-sqld.ts';
import { startEdgeDev } from '../support/workerd/edge-dev.ts';
import { blobRow, measureEdgeBlob } from './edge-blob.ts';
import { type EdgeFrames, measureEdgeFrames } from './edge-frames.ts';
import { percentile } from './percentile.ts';
import { runtimeCpuMs } from './runtime-cpu-ms.ts';

const REQUESTS = 200;
const FRAMES = 200;
const RATES_PER_S = [5, 10, 20, 40, 80, 160];
const STEP_MS = 5_000;
const ACK_GOAL_MS = 250;
const WAIT_MS = 60_000;

export type EdgeLoad = {
  /** Processor time of the whole runtime, its own work for sockets and HTTP included. */
  requestCpuMs: number;
  requestMs: number;
  frameCpuMs: number;
  /** From a frame's sending to its acknowledgement, one frame after another. */
  frameMs: number;
  /** Frames a second of one object whose acknowledgements stay below the goal (99 of 100). */
  sustainedPerS: number;
  frames: EdgeFrames;
  /** Memory of the runtime while the largest blob passes, MiB above before. */
  blobRiseMib: number;
};

const RATIO_GOAL = 6;
const POOLS_GOAL_PER_S = 2_000;

export function edgeRows(load: EdgeLoad): [what: string, value: string][] {
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  return [
    ['edge: processor time of a request', ms(load.requestCpuMs)],
    ['edge: a request, p50', ms(load.requestMs)],
    ['edge: processor time of a frame', ms(load.frameCpuMs)],
    ['edge: a frame to its acknowledgement, p50', ms(load.frameMs)],
    [`edge: frames of one object, p99 below ${ACK_GOAL_MS} ms`, `${load.sustainedPerS}/s`],
    ...frameRows(load.frames),
    blobRow(load.blobRiseMib),
  ];
}

function frameRows(frames: EdgeFrames): [what: string, value: string][] {
  const verdict = (isMet: boolean) => (isMet ? 'met' : 'missed');
  const perS = (value: number) => `${Math.round(value)}/s`;
  const ratio = `goal ${RATIO_GOAL} or more: ${verdict(frames.ratio >= RATIO_GOAL)}`;
  const pools = `goal ${POOLS_GOAL_PER_S}/s: ${verdict(frames.poolsPerS >= POOLS_GOAL_PER_S)}`;
  return [
    ['edge: one writer, a commit for each frame', perS(frames.oneWriterPerS)],
    [`edge: ${frames.runners} runners of a pool, one frame in flight each`, perS(frames.poolPerS)],
    ['  processor time of such a frame, runtime', `${frames.poolFrameCpuMs.toFixed(1)} ms`],
    ['  the same, the process that plays the runners', `${frames.runnersFrameCpuMs.toFixed(1)} ms`],
    [`  ratio to one writer (${ratio})`, frames.ratio.toFixed(1)],
    [
      `edge: frames of ${frames.pools} pools, stored by one writer (${pools})`,
      perS(frames.poolsPerS),
    ],
  ];
}

type Lease = { attemptId: string; epoch: number; token: string; seq: number; digest: string };

/** The Worker in workerd with a libSQL server beside it, both on this machine. Linux only. */
export async function measureEdgeLoad(): Promise<EdgeLoad> {
  const folder = await mkdtemp(join(tmpdir(), 'swy-bench-edge-'));
  const sqld = await startSqld();
  const close = async () => {
    await sqld.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  const edge = await startEdgeDev({
    dataDir: folder,
    args: ['--database', sqld.url, '--no-runner'],
    env: {
      SERVICE_DATABASE_TOKEN: sqld.token,
      SERVICE_CONFIG__engine__provider__baseUrl: 'http://127.0.0.1:9/v1',
      SERVICE_CONFIG__engine__provider__apiKey: 'provider-key',
      SERVICE_CONFIG__limits__apiPerMinute: '1000000',
      SERVICE_CONFIG__agent__maxConcurrentAgents: '64',
      SERVICE_CONFIG__repos: JSON.stringify([
        { prefix: 'SY-', url: 'file:///srv/repositories/shop', default_branch: 'main' },
      ]),
    },
  }).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const { client } = edge;
  const runner = await SocketRunner.join(client, 'bench');
  const cpuMs = () => runtimeCpuMs(folder);
  try {
    const line = await runner.connect();
    await client.createIssue({ title: 'Measured', state: 'Todo' });
    const offer = await line.next('offer');
    const { attemptId, epoch } = offer;
    line.say({ type: 'accept', ref: 'accept-1', attemptId, epoch });
    await line.next('granted');
    const requests = await costOf(REQUESTS, cpuMs, () => client.must('GET', '/runtime'));
    const lease = { attemptId, epoch, token: '', seq: 0, digest: EMPTY_DIGEST };
    const frames = await costOf(FRAMES, cpuMs, async () => {
      await sendFrame(line, lease);
      await acknowledged(line, lease.seq);
    });
    return {
      requestCpuMs: requests.cpuMs,
      requestMs: requests.ms,
      frameCpuMs: frames.cpuMs,
      frameMs: frames.ms,
      sustainedPerS: await sustained(line, lease),
      frames: await measureEdgeFrames({ edge, sqld }),
      blobRiseMib: await measureEdgeBlob(),
    };
  } finally {
    runner.close();
    await edge.kill();
    await close();
  }
}

/** Per call: the runtime's processor time, and the time in the middle. */
async function costOf(count: number, spentMs: () => Promise<number>, work: () => Promise<unknown>) {
  await work();
  const before = await spentMs();
  const times: number[] = [];
  for (let done = 0; done < count; done += 1) {
    const startedMs = performance.now();
    await work();
    times.push(performance.now() - startedMs);
  }
  return {
    cpuMs: ((await spentMs()) - before) / count,
    ms: percentile(times, 0.5),
  };
}

/** Frames at a pace of their own, whether or not earlier ones were acknowledged. */
async function sustained(line: SocketLine, lease: Lease): Promise<number> {
  let best = 0;
  for (const perS of RATES_PER_S) {
    const heard = hearAcks(line);
    const sentAtMs = new Map<number, number>();
    const beganMs = performance.now();
    for (let sent = 0; sent < (perS * STEP_MS) / 1_000; sent += 1) {
      await delay(Math.max(0, beganMs + (sent * 1_000) / perS - performance.now()));
      await sendFrame(line, lease);
      sentAtMs.set(lease.seq, performance.now());
    }
    await acknowledged(line, lease.seq);
    heard.stop();
    const late = [...sentAtMs].map(([seq, atMs]) => heard.atMs(seq) - atMs);
    if (percentile(late, 0.99) > ACK_GOAL_MS) break;
    best = perS;
  }
  return best;
}

async function sendFrame(line: SocketLine, lease: Lease): Promise<void> {
  const items = numbered(lease, [note('a line of work')], Date.now());
  line.say(eventsMessage(lease, items));
  lease.seq += items.length;
  lease.digest = await extendDigest(lease.digest, items);
}

/** When each event was acknowledged; one acknowledgement may stand for many. */
function hearAcks(line: SocketLine) {
  const acks: { upto: number; atMs: number }[] = [];
  const hear = (data: Buffer) => {
    for (const [, upto] of data.toString().matchAll(/"type":"ack"[^}]*"upto":(\d+)/g))
      acks.push({ upto: Number(upto), atMs: performance.now() });
  };
  line.socket.on('message', hear);
  return {
    atMs: (seq: number) => acks.find(({ upto }) => upto >= seq)?.atMs ?? Number.POSITIVE_INFINITY,
    stop: () => line.socket.off('message', hear),
  };
}

/** Every acknowledgement is heard at once: polling would be part of what is measured. */
async function acknowledged(line: SocketLine, seq: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => {
    if (line.messages.some((one) => one.type === 'ack' && one.upto >= seq)) resolve();
  };
  line.socket.on('message', look);
  look();
  const stop = new AbortController();
  const late = delay(WAIT_MS, true, { signal: stop.signal }).catch(() => false);
  const isLate = await Promise.race([promise, late]);
  stop.abort();
  line.socket.off('message', look);
  if (isLate === true) throw new Error(`not acknowledged within ${WAIT_MS} ms`);
}
