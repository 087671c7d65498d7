import { EMPTY_DIGEST } from '@switchyard/shared/protocol/event-digest';
import { connectFleet } from './bench-fleet.ts';
import type { BenchLease, BenchRunner } from './bench-runner.ts';
import { type ControlPlaneProcess, startControlPlaneProcess } from './control-plane-process.ts';
import { percentile } from './percentile.ts';

export type GrantLatency = { issues: number; p50Ms: number; p99Ms: number };

const ISSUES = 200;
const WARM_ISSUES = 10;
const RUNNERS = 10;
const SLOTS = 10;
const GRANT_TIMEOUT_MS = 30_000;

/**
 * From the request that creates an issue of the built-in tracker to `granted` at a runner, with
 * free slots. Each attempt is finished before the next issue is created.
 */
export async function measureGrantLatency(): Promise<GrantLatency> {
  const controlPlane = await startControlPlaneProcess();
  try {
    const runners = await connectFleet(controlPlane, { count: RUNNERS, slots: SLOTS });
    const times: number[] = [];
    for (let issue = 1; issue <= WARM_ISSUES + ISSUES; issue += 1) {
      times.push(await grant(controlPlane, runners, issue));
    }
    for (const runner of runners) runner.close();
    const counted = times.slice(WARM_ISSUES);
    return {
      issues: counted.length,
      p50Ms: percentile(counted, 0.5),
      p99Ms: percentile(counted, 0.99),
    };
  } finally {
    await controlPlane.stop();
  }
}

async function grant(
  controlPlane: ControlPlaneProcess,
  runners: readonly BenchRunner[],
  issue: number,
): Promise<number> {
  const granted = new Promise<{ runner: BenchRunner; lease: BenchLease }>((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error('no grant came')), GRANT_TIMEOUT_MS);
    for (const runner of runners) {
      runner.onGranted((lease) => {
        clearTimeout(limit);
        resolve({ runner, lease });
      });
    }
  });
  const startedAtMs = performance.now();
  await controlPlane.post('/local/issues', { title: `Bench ${issue}` });
  const { runner, lease } = await granted;
  await finish(runner, lease);
  return lease.atMs - startedAtMs;
}

function finish(runner: BenchRunner, { attemptId, epoch }: BenchLease): Promise<void> {
  return new Promise((resolve) => {
    runner.onFinished(() => {
      runner.drop(attemptId);
      resolve();
    });
    runner.send({
      type: 'finish',
      attemptId,
      epoch,
      finalSeq: 0,
      digest: EMPTY_DIGEST,
      outcome: 'completed',
      marker: 'DONE',
      summary: 'Done.',
    });
  });
}
