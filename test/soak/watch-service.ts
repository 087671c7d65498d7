import { percentile } from '../bench/percentile.ts';
import { residentBytes } from '../support/e2e/resident-bytes.ts';
import type { SoakClient } from './soak-client.ts';
import { wait } from './wait.ts';

const SAMPLE_EVERY_MS = 1_000;
const ASK_EVERY_MS = 200;
const MIB = 1_048_576;
/** Compiled code and caches grow in the beginning. */
const WARM_UP_SHARE = 0.2;
const SERIES_POINTS = 60;

export type WatchReport = {
  /** Resident memory over the run, at most 60 points. */
  residentMib: number[];
  peakMib: number;
  /** Of a straight line through the second half. */
  secondHalfMibPerMinute: number;
  /** What that line rises by over the second half. */
  secondHalfGrowthMib: number;
  healthMs: { p50: number; p99: number; max: number; asked: number };
};

/** Looks at a service's memory and asks for its health until the signal. */
export async function watchService(
  service: { pid: number },
  client: SoakClient,
  signal: AbortSignal,
): Promise<WatchReport> {
  const samples: number[] = [];
  const healthMs: number[] = [];
  const sample = async () => {
    while (!signal.aborted) {
      samples.push((await residentBytes(service)) / MIB);
      await wait(SAMPLE_EVERY_MS, signal);
    }
  };
  const ask = async () => {
    while (!signal.aborted) {
      const beganMs = performance.now();
      const { status } = await client.send('GET', '/healthz');
      if (status === 200) healthMs.push(performance.now() - beganMs);
      await wait(ASK_EVERY_MS, signal);
    }
  };
  await Promise.all([sample(), ask()]);
  const second = samples.slice(Math.floor(samples.length / 2));
  const slope = slopeOf(second);
  const step = Math.max(1, Math.ceil(samples.length / SERIES_POINTS));
  return {
    residentMib: samples.filter((_, index) => index % step === 0).map(Math.round),
    peakMib: Math.max(...samples.slice(Math.floor(samples.length * WARM_UP_SHARE))),
    secondHalfMibPerMinute: (slope * 60_000) / SAMPLE_EVERY_MS,
    secondHalfGrowthMib: slope * second.length,
    healthMs: {
      p50: percentile(healthMs, 0.5),
      p99: percentile(healthMs, 0.99),
      max: Math.max(...healthMs),
      asked: healthMs.length,
    },
  };
}

/** Least squares, per sample. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  let rise = 0;
  let run = 0;
  for (const [index, value] of values.entries()) {
    rise += (index - middle) * (value - mean);
    run += (index - middle) ** 2;
  }
  return run === 0 ? 0 : rise / run;
}
