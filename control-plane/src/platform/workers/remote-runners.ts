import type { ControlPlaneMessage } from '@switchyard/shared/protocol/messages';
import type { CallValue } from '@switchyard/shared/protocol/calls';
import { AppError } from '../../errors.ts';
import type {
  BackgroundTasks,
  RunnerCalls,
  RunnerConnections,
  RunnerInboxes,
} from '../../ports/ports.ts';
import { shardByName, shardNameOf } from './shard-name-of.ts';
import type { PoolOrder } from './coordinator-calls.ts';
import type { WorkerEnv } from './worker-env.ts';

/** Connections to runners, for code outside their pool. */
export function remoteRunners(env: WorkerEnv, background: BackgroundTasks): RunnerConnections {
  return { ...createRemoteSockets(env, background), ...createRemoteCalls(env) };
}

/**
 * Runners' sockets as seen from outside their pools. Messages sent in one turn reach a pool in one
 * call, in order; losing them is harmless.
 */
function createRemoteSockets(env: WorkerEnv, background: BackgroundTasks): RunnerInboxes {
  let waiting: Map<string, PoolOrder[]> | null = null;
  /** The pools' last answers, because a query wakes a pool. */
  const reported = new Map<string, { lastSeenAtMs: number; saidAtMs: number }>();

  async function askPool(name: string, ids: string[]): Promise<void> {
    const answer = await shardByName(env, name).whichConnected(ids);
    for (const id of ids) reported.delete(id);
    for (const { runnerId, lastSeenAtMs } of answer)
      reported.set(runnerId, { lastSeenAtMs, saidAtMs: Date.now() });
  }

  function order(given: PoolOrder): void {
    waiting ??= later();
    const name = shardNameOf(env, given.runnerId);
    waiting.set(name, [...(waiting.get(name) ?? []), given]);
  }

  function later(): Map<string, PoolOrder[]> {
    const orders = new Map<string, PoolOrder[]>();
    background.run('orders to runners', async () => {
      await Promise.resolve();
      waiting = null;
      await Promise.all([...orders].map(([name, list]) => deliver(env, name, list)));
    });
    return orders;
  }

  return {
    send(runnerId: string, messages: ControlPlaneMessage[]) {
      if (messages.length > 0) order({ runnerId, messages });
      return true;
    },
    close: (runnerId, code, reason) => order({ runnerId, close: { code, reason } }),
    async connected(runnerIds, maxAgeMs = 0) {
      const nowMs = Date.now();
      const isKnown = (id: string) =>
        Math.abs(nowMs - (reported.get(id)?.saidAtMs ?? Number.NEGATIVE_INFINITY)) < maxAgeMs;
      const byPool = [...Map.groupBy(runnerIds, (id) => shardNameOf(env, id))];
      const toAsk = byPool.filter(([, ids]) => !ids.every(isKnown));
      await Promise.all(toAsk.map(([name, ids]) => askPool(name, ids)));
      return new Map(
        runnerIds.flatMap((id) => {
          const known = reported.get(id);
          return known === undefined ? [] : [[id, known.lastSeenAtMs] as const];
        }),
      );
    },
    // Runners without a socket poll their pool.
    open: elsewhere,
    take: elsewhere,
    closeInboxes: () => {},
  };
}

/**
 * Delivers orders to a pool; a lost close order is sent once more, because nothing repeats it
 * later.
 */
async function deliver(env: WorkerEnv, name: string, orders: PoolOrder[]): Promise<void> {
  try {
    await shardByName(env, name).deliver(orders);
  } catch (error) {
    const closes = orders.filter(({ close }) => close !== undefined);
    if (closes.length === 0) throw error;
    await shardByName(env, name).deliver(closes);
  }
}

/** Calls a runner through its pool, which waits for the answer. */
function createRemoteCalls(env: WorkerEnv): RunnerCalls {
  return {
    async call(runnerId, method, params, timeoutMs) {
      const pool = shardByName(env, shardNameOf(env, runnerId));
      const answer = await pool.call({ runnerId, method, params, timeoutMs });
      if (answer.ok) return JSON.parse(answer.json) as CallValue<typeof method>;
      const { reason } = answer;
      throw new AppError(answer.code, answer.message, reason === undefined ? {} : { reason });
    },
    settle: elsewhere,
    concerns: elsewhere,
    abandon: () => {},
  };
}

function elsewhere(): never {
  throw new Error('frames of runners are handled by their pool');
}
