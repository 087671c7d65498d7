import { setTimeout as delay } from 'node:timers/promises';
import type { AttemptStream } from './attempt-stream.ts';
import { connectFleet, startAttempts } from './bench-fleet.ts';
import { type ControlPlaneProcess, startControlPlaneProcess } from './control-plane-process.ts';
import { percentile } from './percentile.ts';

/** What a control plane's process used over a while. */
export type UseOverTime = {
  /** Of one core. */
  cpuPercent: number;
  residentMib: number;
  /** Rows inserted, updated or deleted, counted by the database. */
  rowsChanged: number;
};

export type FleetLoad = {
  runners: number;
  slotsEach: number;
  idleSeconds: number;
  /** Without any runner: the leadership and the tracker poll write a little. */
  alone: UseOverTime;
  idle: UseOverTime;
  busySeconds: number;
  busyAttempts: number;
  offeredPerS: number;
  sustainedPerS: number;
  /** Offered and not acknowledged when the time was over. */
  backlog: number;
  busy: UseOverTime;
  ackP50Ms: number;
  ackP99Ms: number;
};

const RUNNERS = 1_000;
const SLOTS = 10;
const IDLE_SECONDS = 60;
const BUSY_SECONDS = 30;
const BUSY_ATTEMPTS = 100;
const OFFERED_PER_S = 5_000;
/** Events come in bursts, as an agent's commands do; each attempt has its own beat. */
const BURST_EVENTS = 25;
/** After the last runner is there, for what its arrival set off. */
const SETTLE_MS = 5_000;
const MIB = 1_048_576;

/** A thousand runners on one control plane: idle, and with many attempts that stream events. */
export async function measureFleetLoad(): Promise<FleetLoad> {
  const controlPlane = await startControlPlaneProcess();
  try {
    await delay(SETTLE_MS);
    const alone = await overTime(controlPlane, () => delay(IDLE_SECONDS * 1_000));
    const runners = await connectFleet(controlPlane, { count: RUNNERS, slots: SLOTS });
    await delay(SETTLE_MS);
    const idle = await overTime(controlPlane, () => delay(IDLE_SECONDS * 1_000));
    const streams = await startAttempts(controlPlane, runners, BUSY_ATTEMPTS);
    await delay(SETTLE_MS);
    let acked = 0;
    let backlog = 0;
    const busy = await overTime(controlPlane, async () => {
      await offerBursts(streams);
      acked = sum(streams.map((stream) => stream.acked));
      backlog = sum(streams.map((stream) => stream.backlog));
    });
    const ackMs = streams.flatMap((stream) => stream.ackMs);
    for (const runner of runners) runner.close();
    return {
      runners: RUNNERS,
      slotsEach: SLOTS,
      idleSeconds: IDLE_SECONDS,
      alone,
      idle,
      busySeconds: BUSY_SECONDS,
      busyAttempts: BUSY_ATTEMPTS,
      offeredPerS: (acked + backlog) / BUSY_SECONDS,
      sustainedPerS: acked / BUSY_SECONDS,
      backlog,
      busy,
      ackP50Ms: percentile(ackMs, 0.5),
      ackP99Ms: percentile(ackMs, 0.99),
    };
  } finally {
    await controlPlane.stop();
  }
}

/** Every attempt offers its bursts by the clock, whatever was acknowledged: the load is open. */
async function offerBursts(streams: readonly AttemptStream[]): Promise<void> {
  const betweenMs = (BURST_EVENTS * streams.length * 1_000) / OFFERED_PER_S;
  const startedAtMs = performance.now();
  const dueAtMs = streams.map((_stream, index) => (index * betweenMs) / streams.length);
  for (;;) {
    const atMs = performance.now() - startedAtMs;
    if (atMs >= BUSY_SECONDS * 1_000) return;
    for (const [index, stream] of streams.entries()) {
      while ((dueAtMs[index] ?? Number.POSITIVE_INFINITY) <= atMs) {
        stream.offer(BURST_EVENTS);
        dueAtMs[index] = (dueAtMs[index] ?? 0) + betweenMs;
      }
    }
    await delay(2);
  }
}

async function overTime(
  controlPlane: ControlPlaneProcess,
  work: () => Promise<unknown>,
): Promise<UseOverTime> {
  const before = await controlPlane.use();
  const startedAtMs = performance.now();
  await work();
  const tookMs = performance.now() - startedAtMs;
  const after = await controlPlane.use();
  return {
    cpuPercent: ((after.cpuMs - before.cpuMs) * 100) / tookMs,
    residentMib: after.residentBytes / MIB,
    rowsChanged: after.rowsChanged - before.rowsChanged,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
