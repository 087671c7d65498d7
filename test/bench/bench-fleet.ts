import { AttemptStream } from './attempt-stream.ts';
import { type BenchLease, type BenchRunner, connectBenchRunner } from './bench-runner.ts';
import type { ControlPlaneProcess } from './control-plane-process.ts';

/** Runners that join at the same time; more only wait for each other's commits. */
const JOINING_AT_ONCE = 16;
const GRANT_TIMEOUT_MS = 120_000;

/** Connects `count` runners with `slots` each. */
export async function connectFleet(
  controlPlane: ControlPlaneProcess,
  { count, slots }: { count: number; slots: number },
): Promise<BenchRunner[]> {
  const runners: BenchRunner[] = [];
  let next = 0;
  const join = async () => {
    while (next < count) {
      next += 1;
      runners.push(await connectBenchRunner(controlPlane, { name: `bench-${next}`, slots }));
    }
  };
  await Promise.all(Array.from({ length: Math.min(JOINING_AT_ONCE, count) }, join));
  return runners;
}

/** Creates `count` issues, lets the runners take them and gives a stream for each lease. */
export async function startAttempts(
  controlPlane: ControlPlaneProcess,
  runners: readonly BenchRunner[],
  count: number,
): Promise<AttemptStream[]> {
  const streams = new Map<string, AttemptStream>();
  const all = new Promise<void>((resolve, reject) => {
    const limit = setTimeout(
      () => reject(new Error(`${streams.size} of ${count} attempts were granted`)),
      GRANT_TIMEOUT_MS,
    );
    for (const runner of runners) {
      runner.onGranted((lease: BenchLease) => {
        streams.set(lease.attemptId, new AttemptStream(runner, lease));
        if (streams.size < count) return;
        clearTimeout(limit);
        resolve();
      });
      runner.onAck(({ attemptId, upto }) => streams.get(attemptId)?.acknowledged(upto));
    }
  });
  for (let issue = 1; issue <= count; issue += 1) {
    await controlPlane.post('/local/issues', { title: `Bench ${issue}` });
  }
  await all;
  return [...streams.values()];
}
