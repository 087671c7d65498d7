import { FLUSH_EVENTS } from '@switchyard/shared/protocol/limits';
import type { AttemptStream } from './attempt-stream.ts';
import { connectFleet, startAttempts } from './bench-fleet.ts';
import { startControlPlaneProcess } from './control-plane-process.ts';
import { median } from './median.ts';
import { percentile } from './percentile.ts';
import { openRawDatabase, storedChunks } from './raw-inserts.ts';

export type EventThroughput = {
  /** Events per second through socket, commit and acknowledgement. */
  oneAttemptPerS: number;
  severalAttemptsPerS: number;
  /** The same rows inserted into libSQL directly, one commit for each frame. */
  rawPerS: number;
  /** Medians of the ratios of each repetition. */
  oneAttemptRatio: number;
  severalAttemptsRatio: number;
  attempts: number;
  framesEach: number;
  /** From sending a frame with a full credit window to its acknowledgement; one attempt. */
  ackP50Ms: number;
  ackP99Ms: number;
  /** Processor time for one frame: of the control plane, and of one raw insert. */
  frameCpuMs: number;
  rawCpuMs: number;
};

const FRAMES = 240;
const ATTEMPTS = 8;
const RUNNERS = 4;
/** Not counted: code and caches get warm. */
const WARM_FRAMES = 64;

/**
 * Streams full frames of one attempt and of several, and inserts the rows of the first again into a
 * database beside it, in turn, so that all three meet the same machine.
 */
export async function measureEventThroughput(repeats: number): Promise<EventThroughput> {
  const controlPlane = await startControlPlaneProcess();
  try {
    const runners = await connectFleet(controlPlane, { count: RUNNERS, slots: 4 });
    const streams = await startAttempts(controlPlane, runners, ATTEMPTS);
    const raw = await openRawDatabase(controlPlane.dataDir);
    const [one] = streams;
    if (one === undefined) throw new Error('no attempt runs');
    await stream(streams, WARM_FRAMES * ATTEMPTS);
    one.ackMs.length = 0;
    const ackMs: number[] = [];
    const runs: { one: number; several: number; raw: number; cpuMs: number; rawCpuMs: number }[] =
      [];
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const before = await controlPlane.use();
      const ones = await stream([one], FRAMES);
      const cpuMs = ((await controlPlane.use()).cpuMs - before.cpuMs) / FRAMES;
      ackMs.push(...one.ackMs.splice(0));
      const inserted = await raw.insert(await storedChunks(controlPlane.dataDir, FRAMES));
      runs.push({
        one: ones,
        several: await stream(streams, FRAMES),
        raw: perSecond(FRAMES, inserted.ms),
        cpuMs,
        rawCpuMs: inserted.cpuMs / FRAMES,
      });
      one.ackMs.length = 0;
    }
    raw.close();
    for (const runner of runners) runner.close();
    return {
      oneAttemptPerS: median(runs.map((run) => run.one)),
      severalAttemptsPerS: median(runs.map((run) => run.several)),
      rawPerS: median(runs.map((run) => run.raw)),
      oneAttemptRatio: median(runs.map((run) => run.one / run.raw)),
      severalAttemptsRatio: median(runs.map((run) => run.several / run.raw)),
      attempts: ATTEMPTS,
      framesEach: FRAMES,
      ackP50Ms: percentile(ackMs, 0.5),
      ackP99Ms: percentile(ackMs, 0.99),
      frameCpuMs: median(runs.map((run) => run.cpuMs)),
      rawCpuMs: median(runs.map((run) => run.rawCpuMs)),
    };
  } finally {
    await controlPlane.stop();
  }
}

/** Sends so many full frames in all, as fast as credit allows; events per second. */
async function stream(streams: readonly AttemptStream[], frames: number): Promise<number> {
  const startedAtMs = performance.now();
  for (const each of streams) each.offer((frames / streams.length) * FLUSH_EVENTS);
  await Promise.all(streams.map((each) => each.drained()));
  return perSecond(frames, performance.now() - startedAtMs);
}

function perSecond(frames: number, ms: number): number {
  return (frames * FLUSH_EVENTS * 1_000) / ms;
}
