import { expect, it } from 'vitest';
import { remoteRunners } from './remote-runners.ts';
import type { WorkerEnv } from './worker-env.ts';

const MINUTE_MS = 60_000;
const HEARD_AT_MS = 7_000;

/** A namespace with one pool, which notes of whom it is asked: each time it is awake. */
function onePool(connected: Set<string>) {
  const asked: string[][] = [];
  const pool = {
    whichConnected: async (ids: string[]) => {
      asked.push(ids);
      const here = ids.filter((id) => connected.has(id));
      return here.map((runnerId) => ({ runnerId, lastSeenAtMs: HEARD_AT_MS }));
    },
  };
  const namespace = { idFromName: (name: string) => name, get: () => pool };
  const env = { RUNNER_POOL: namespace } as unknown as WorkerEnv;
  const connections = remoteRunners(env, { run: () => undefined });
  return { asked, connections };
}

it('wakes no pool again for who only looks, until somebody else is asked for', async () => {
  const here = new Set(['run_1', 'run_2']);
  const { asked, connections } = onePool(here);
  const look = (...ids: string[]) => connections.connected(ids, MINUTE_MS);
  for (let times = 0; times < 3; times += 1)
    expect(await look('run_1')).toEqual(new Map([['run_1', HEARD_AT_MS]]));
  expect(asked).toEqual([['run_1']]);
  expect((await look('run_1', 'run_2')).size).toBe(2);
  expect(asked).toHaveLength(2);
  // Who acts on it asks anew, and what is heard then counts for all.
  here.delete('run_2');
  expect([...(await connections.connected(['run_1', 'run_2'])).keys()]).toEqual(['run_1']);
  expect([...(await look('run_1', 'run_2')).keys()]).toEqual(['run_1']);
});
