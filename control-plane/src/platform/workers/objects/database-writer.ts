import { DurableObject } from 'cloudflare:workers';
import { databaseAway } from '../../../db/database-away.ts';
import { freeBytes } from '../../../db/server/free-bytes.ts';
import type { BatchOutcome, WriteBatch } from '../../../db/server/group-writer.ts';
import {
  type BatchWriter,
  createServerWriter,
  type WriteState,
} from '../../../db/server/server-writer.ts';
import type { DatabaseWriterCalls } from '../coordinator-calls.ts';
import { databaseOf } from '../database/database-of.ts';
import { type WorkerEnv, variablesOf } from '../worker-env.ts';
import { workerLogger } from '../worker-logger.ts';

/**
 * The one writer of an installation: every part of the Worker stores through it, so that concurrent
 * writes share a commit and the database never has two writers. Its state may be lost at any time:
 * callers are answered only after the commit.
 */
export class DatabaseWriter extends DurableObject<WorkerEnv> implements DatabaseWriterCalls {
  #made: BatchWriter | null = null;

  async write(batches: readonly WriteBatch[]): Promise<BatchOutcome[]> {
    const writer = this.#writer();
    const outcomes = await Promise.all(
      batches.map((batch) =>
        writer.write(batch).catch((error: unknown) => {
          const away = databaseAway(error);
          if (away === null) throw error;
          return { away: away.message };
        }),
      ),
    );
    // The buffers were received for this call only.
    for (const { args } of batches.flat())
      for (const value of args) if (value instanceof Uint8Array) freeBytes(value);
    return outcomes;
  }

  async probe(): Promise<WriteState> {
    return this.#writer().probe();
  }

  #writer(): BatchWriter {
    const logger = workerLogger(this.env);
    this.#made ??= createServerWriter(databaseOf(variablesOf(this.env)), {
      away: (why) => logger.error('the database stores nothing now', { error: why }),
      back: (awayMs) => logger.info('the database stores again', { awayMs }),
    });
    return this.#made;
  }
}
