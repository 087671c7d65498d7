import { and, count, eq, sql } from 'drizzle-orm';
import { commitSilently, expectRowsAffected } from '../../db/commit-steps.ts';
import type { Database } from '../../db/database.ts';
import type { BoundStatement } from '../../db/server/group-writer.ts';
import type { SqlValue } from '../../db/server/sql-value.ts';
import { blobs } from '../../db/schema/operation/events.ts';
import type { Blobs, Clock } from '../../ports/ports.ts';
import { partsOf } from './parts-of.ts';

const PART_BYTES = 1_048_576;

type Bytes = Uint8Array | AsyncIterable<Uint8Array>;

/** Reads a blob part on a platform with little memory, whose buffers are reused. */
export type PartReader = {
  /** The bytes that a statement selects; null when it selects no row. */
  read(statement: BoundStatement, maxBytes: number): Promise<Uint8Array | null>;
  free(bytes: Uint8Array): void;
};

/**
 * Blobs as rows of at most 1 MiB, so that a backup of the database contains them. Rows are written
 * and read one at a time: a server limits its responses, and a blob need not fit into memory.
 *
 * A blob exists once its first row holds the number of its rows and all of them are stored. Until
 * then every row has the upload's own mark, a negative number, in that column.
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

  /** The number of stored rows and of the blob's parts; null while parts are missing. */
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

  /** Compares an upload with the stored blob part by part and throws if they differ. */
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

  /** Removes the rows of another, interrupted upload of this key. */
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
      // The insert fails on a row of another upload, so that rows of two uploads never mix.
      await db.batch([db.insert(blobs).values({ ...row, parts: isAll ? 1 : mark })]);
      if (isAll) return;
      parts += 1;
    }
    const stored = sql`(select count(*) from blobs where key = ${key} and parts = ${mark})`;
    const finish = db
      .update(blobs)
      .set({ parts })
      .where(and(eq(blobs.key, key), eq(blobs.part, 0), sql`${stored} = ${parts}`));
    if ((await commitSilently(db, [expectRowsAffected(finish)])) === null)
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
        // If this fails too, the next upload of this key or retention removes the rows.
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

/**
 * Joins the parts and empties the list meanwhile, so that the bytes are not held in memory twice.
 */
function joined(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let offset = 0;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}
