import { FLUSH_EVENTS } from '@switchyard/shared/protocol/limits';
import type { AttemptStream } from './attempt-stream.ts';
import { connectFleet, startAttempts } from './bench-fleet.ts';
import { startControlPlaneProcess } from './control-plane-process.ts';
import { median } from './median.ts';
import { percentile } from './percentile.ts';
import { openRawDatabase, splitChunks, storedChunks } from './raw-inserts.ts';

export type EventThroughput = {
  /** Events per second through socket, commit and acknowledgement. */
  oneAttemptPerS: number;
  severalAttemptsPerS: number;
  /** The first's events inserted into libSQL directly: the very rows that were stored. */
  rawPerS: number;
  /** The same with one row and one commit for each frame, as it was sent. */
  rawFramesPerS: number;
  /** One attempt to raw, medians of each repetition's ratio. */
  ratio: number;
  framesRatio: number;
  attempts: number;
  framesEach: number;
  /** Stored rows for one frame: frames that wait together are stored together. */
  rowsPerFrame: number;
  /** From sending a frame with a full credit window to its acknowledgement; one attempt. */
  ackP50Ms: number;
  ackP99Ms: number;
  /** Processor time for one frame: of the control plane, and inserted directly. */
  frameCpuMs: number;
  rawFrameCpuMs: number;
};
type Run = Record<'one' | 'several' | 'raw' | 'rawFrames' | 'rows' | 'cpuMs' | 'rawCpuMs', number>;

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
    const raws = {
      rows: await openRawDatabase(controlPlane.dataDir, 'rows'),
      frames: await openRawDatabase(controlPlane.dataDir, 'frames'),
    };
    const [one] = streams;
    if (one === undefined) throw new Error('no attempt runs');
    await stream(streams, WARM_FRAMES * ATTEMPTS);
    const ackMs: number[] = [];
    const runs: Run[] = [];
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      one.ackMs.length = 0;
      const seq = (await storedChunks(controlPlane.dataDir, 0)).at(-1)?.last_seq ?? 0;
      const before = await controlPlane.use();
      const ones = await stream([one], FRAMES);
      const cpuMs = ((await controlPlane.use()).cpuMs - before.cpuMs) / FRAMES;
      ackMs.push(...one.ackMs);
      const rows = await storedChunks(controlPlane.dataDir, seq);
      const frames = await raws.frames.insert(splitChunks(rows, FLUSH_EVENTS));
      runs.push({
        one: ones,
        raw: perSecond(FRAMES, (await raws.rows.insert(rows)).ms),
        rawFrames: perSecond(FRAMES, frames.ms),
        several: await stream(streams, FRAMES),
        rows: rows.length / FRAMES,
        cpuMs,
        rawCpuMs: frames.cpuMs / FRAMES,
      });
    }
    raws.rows.close();
    raws.frames.close();
    for (const runner of runners) runner.close();
    const middle = (value: (run: Run) => number) => median(runs.map(value));
    return {
      oneAttemptPerS: middle((run) => run.one),
      severalAttemptsPerS: middle((run) => run.several),
      rawPerS: middle((run) => run.raw),
      rawFramesPerS: middle((run) => run.rawFrames),
      ratio: middle((run) => run.one / run.raw),
      framesRatio: middle((run) => run.one / run.rawFrames),
      attempts: ATTEMPTS,
      framesEach: FRAMES,
      rowsPerFrame: middle((run) => run.rows),
      ackP50Ms: percentile(ackMs, 0.5),
      ackP99Ms: percentile(ackMs, 0.99),
      frameCpuMs: middle((run) => run.cpuMs),
      rawFrameCpuMs: middle((run) => run.rawCpuMs),
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
