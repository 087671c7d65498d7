import { DatabaseAway } from '../../../db/database-away.ts';
import { GroupWriter, type WriteBatch } from '../../../db/server/group-writer.ts';
import type { BatchWriter } from '../../../db/server/server-writer.ts';
import type { WorkerEnv } from '../worker-env.ts';

const LOST = 'the object that writes it ended meanwhile';

/**
 * For a Durable Object: concurrent writes reach the one writer in one call, and the next call
 * begins when that has returned.
 */
export function createObjectWriter(env: WorkerEnv): BatchWriter {
  const writer = new GroupWriter((group) => store(env, group));
  return { write: (batch) => writer.write(batch), probe: () => probe(env) };
}

/** For requests: each makes its own call, because it must not wait for I/O of another request. */
export function createRequestWriter(env: WorkerEnv): BatchWriter {
  return {
    async write(batch) {
      const [outcome] = await store(env, [batch]);
      if (outcome === undefined) throw new Error('a batch has no outcome');
      if ('away' in outcome) throw new DatabaseAway(outcome.away);
      return outcome;
    },
    probe: () => probe(env),
  };
}

/** A failed call may have stored its batches, so it is not retried. */
async function store(env: WorkerEnv, group: readonly WriteBatch[]) {
  try {
    return await databaseWriter(env).write(group);
  } catch (error) {
    throw new DatabaseAway(LOST, { cause: error });
  }
}

async function probe(env: WorkerEnv) {
  try {
    return await databaseWriter(env).probe();
  } catch (error) {
    throw new DatabaseAway(LOST, { cause: error });
  }
}

function databaseWriter(env: WorkerEnv) {
  return env.DATABASE_WRITER.get(env.DATABASE_WRITER.idFromName('writer'));
}
