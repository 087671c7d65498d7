import { startControlPlaneProcess } from './control-plane-process.ts';
import { connectGrantFleet } from './grant-fleet.ts';
import { percentile } from './percentile.ts';

export type GrantLatency = { issues: number; p50Ms: number; p99Ms: number };

const ISSUES = 200;
const WARM_ISSUES = 10;

/**
 * From the request that creates an issue of the built-in tracker to `granted` at a runner, with
 * free slots. Each attempt is finished before the next issue is created.
 */
export async function measureGrantLatency(): Promise<GrantLatency> {
  const controlPlane = await startControlPlaneProcess();
  try {
    const fleet = await connectGrantFleet(controlPlane);
    const times: number[] = [];
    for (let issue = 1; issue <= WARM_ISSUES + ISSUES; issue += 1) {
      const granted = fleet.next();
      const startedAtMs = performance.now();
      await controlPlane.post('/local/issues', { title: `Bench ${issue}` });
      const { atMs, finish } = await granted;
      await finish();
      times.push(atMs - startedAtMs);
    }
    fleet.close();
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
