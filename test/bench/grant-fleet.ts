import { EMPTY_DIGEST } from '@switchyard/shared/protocol/extend-digest';
import { connectFleet } from './bench-fleet.ts';
import type { BenchLease, BenchRunner } from './bench-runner.ts';
import type { ControlPlaneProcess } from './control-plane-process.ts';

const RUNNERS = 10;
const SLOTS = 10;
const GRANT_TIMEOUT_MS = 30_000;

/** A lease that was granted; `finish` ends its attempt as completed and waits for the answer. */
export type Grant = { atMs: number; finish(): Promise<void> };

export type GrantFleet = {
  /** The next grant at any runner. To be called before what leads to it. */
  next(): Promise<Grant>;
  close(): void;
};

/** Connects runners with free slots enough that no grant waits for one. */
export async function connectGrantFleet(controlPlane: ControlPlaneProcess): Promise<GrantFleet> {
  const runners = await connectFleet(controlPlane, { count: RUNNERS, slots: SLOTS });
  return {
    next: () =>
      new Promise((resolve, reject) => {
        const limit = setTimeout(() => reject(new Error('no grant came')), GRANT_TIMEOUT_MS);
        for (const runner of runners) {
          runner.onGranted((lease) => {
            clearTimeout(limit);
            resolve({ atMs: lease.atMs, finish: () => finish(runner, lease) });
          });
        }
      }),
    close() {
      for (const runner of runners) runner.close();
    },
  };
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
