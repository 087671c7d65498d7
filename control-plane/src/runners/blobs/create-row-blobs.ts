import { and, count, eq, sql } from 'drizzle-orm';
import { commitSteps, expectRowsAffected } from '../../db/commit-steps.ts';
import type { Database } from '../../db/database.ts';
import type { BoundStatement } from '../../db/server/group-writer.ts';
import type { SqlValue } from '../../db/server/sql-value.ts';
import { blobs } from '../../db/schema/operation/events.ts';
import type { Blobs, Clock } from '../../ports/ports.ts';
import { partsOf } from './parts-of.ts';

const PART_BYTES = 1_048_576;

type Bytes = Uint8Array | AsyncIterable<Uint8Array>;

/** How a platform with little memory reads a part, and gives its memory back. */
export type PartReader = {
  /** The bytes that a statement selects; null when it selects no row. */
  read(statement: BoundStatement, maxBytes: number): Promise<Uint8Array | null>;
  free(bytes: Uint8Array): void;
};

/**
 * Blobs as rows of at most 1 MiB each, so that the database is all there is to back up. A row is
 * written and read at a time: a server limits its answers, and no blob need be in memory as a whole.
 * A blob is there once its first row says how many rows it has and all of them are there; until then
 * every row has the upload's own mark, a negative number, in that place.
 */
export function createRowBlobs(db: Database, clock: Clock, platform?: PartReader): Blobs {
  async function partOf(key: string, part: number): Promise<Uint8Array | null> {
    const query = db
      .select({ bytes: blobs.bytes })
      .from(blobs)
      .where(and(eq(blobs.key, key), eq(blobs.part, part)));
    if (platform !== undefined) {
      const { sql: text, params } = query.toSQL();
      return platform.read({ sql: text, args: params as SqlValue[] }, PART_BYTES);
    }
    return (await query)[0]?.bytes ?? null;
  }

  /** How many rows are there, and of how many parts the blob is; null: not all of them are there. */
  async function standing(key: string): Promise<{ stored: number; parts: number | null }> {
    const [[rows], [first]] = await db.batch([
      db.select({ stored: count() }).from(blobs).where(eq(blobs.key, key)),
      db
        .select({ parts: blobs.parts })
        .from(blobs)
        .where(and(eq(blobs.key, key), eq(blobs.part, 0))),
    ]);
    const stored = rows?.stored ?? 0;
    return { stored, parts: first?.parts === stored ? stored : null };
  }

  async function* read(key: string, parts: number): AsyncGenerator<Uint8Array> {
    for (let part = 0; part < parts; part += 1) {
      const bytes = await partOf(key, part);
      if (bytes === null) throw new Error(`part ${part} of blob ${key} is gone`);
      yield bytes;
      platform?.free(bytes);
    }
  }

  /** Compares what comes with what is there, a part at a time. */
  async function requireSame(key: string, parts: number, bytes: Bytes): Promise<void> {
    const differs = new Error(`blob ${key} exists with other bytes`);
    let part = 0;
    for await (const own of partsOf(bytes, PART_BYTES)) {
      const stored = await partOf(key, part);
      if (stored === null || !areEqual(stored, own)) throw differs;
      platform?.free(stored);
      part += 1;
    }
    if (part !== parts) throw differs;
  }

  /** Removes what another upload of this key has left, whom nobody will answer any more. */
  async function removeUnfinished(key: string): Promise<void> {
    const first = sql`(select parts from blobs where key = ${key} and part = 0)`;
    const stored = sql`(select count(*) from blobs where key = ${key})`;
    await db.delete(blobs).where(and(eq(blobs.key, key), sql`${first} is not ${stored}`));
  }

  async function write(key: string, mark: number, bytes: Bytes): Promise<void> {
    let parts = 0;
    for await (const own of partsOf(bytes, PART_BYTES)) {
      const isAll = parts === 0 && own.byteLength < PART_BYTES;
      const row = { key, part: parts, bytes: own, created_at_ms: clock.nowMs() };
      // Fails on a row of another upload: rows of two are never mixed.
      await db.batch([db.insert(blobs).values({ ...row, parts: isAll ? 1 : mark })]);
      if (isAll) return;
      parts += 1;
    }
    const stored = sql`(select count(*) from blobs where key = ${key} and parts = ${mark})`;
    const finish = db
      .update(blobs)
      .set({ parts })
      .where(and(eq(blobs.key, key), eq(blobs.part, 0), sql`${stored} = ${parts}`));
    if ((await commitSteps({ db }, [expectRowsAffected(finish)])) === null)
      throw new Error(`another upload of blob ${key} has begun`);
  }

  return {
    async put(key, bytes) {
      const there = await standing(key);
      if (there.parts !== null) return requireSame(key, there.parts, bytes);
      if (there.stored > 0) await removeUnfinished(key);
      const mark = -1 - Math.floor(Math.random() * 2 ** 31);
      let isStored = false;
      try {
        await write(key, mark, bytes);
        isStored = true;
      } finally {
        // Should that fail too, the next upload of this key or retention removes it.
        const own = and(eq(blobs.key, key), eq(blobs.parts, mark));
        if (!isStored) await Promise.resolve(db.delete(blobs).where(own)).catch(() => undefined);
      }
    },
    async get(key) {
      const { parts } = await standing(key);
      if (parts === null) return null;
      const all: Uint8Array[] = [];
      for (let part = 0; part < parts; part += 1) {
        const bytes = await partOf(key, part);
        if (bytes === null) return null;
        all.push(bytes);
      }
      return joined(all);
    },
    async open(key) {
      const { parts } = await standing(key);
      return parts === null ? null : read(key, parts);
    },
    async delete(key) {
      await db.delete(blobs).where(eq(blobs.key, key));
    },
  };
}

function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.byteLength === other.byteLength && one.every((byte, index) => byte === other[index]);
}

/** Empties the list on its way, so that the bytes need not all be there twice. */
function joined(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let offset = 0;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}
