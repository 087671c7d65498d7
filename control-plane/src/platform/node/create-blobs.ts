import { and, asc, eq } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { blobs } from '../../db/schema/events.ts';
import type { Blobs, Clock } from '../../ports.ts';

const PART_BYTES = 1_048_576;

/** Blobs as rows of at most 1 MiB each, so that the database file is all there is to back up. */
export function createRowBlobs(db: Database, clock: Clock): Blobs {
  async function read(key: string): Promise<Uint8Array | null> {
    const rows = await db.select().from(blobs).where(eq(blobs.key, key)).orderBy(asc(blobs.part));
    const [first] = rows;
    if (first === undefined || rows.length !== first.parts) return null;
    return new Uint8Array(Buffer.concat(rows.map((row) => row.bytes)));
  }
  return {
    async put(key, bytes) {
      const parts = Math.max(1, Math.ceil(bytes.byteLength / PART_BYTES));
      const stored = await read(key);
      if (stored !== null && Buffer.compare(stored, bytes) === 0) return;
      if (stored !== null) throw new Error(`blob ${key} exists with other bytes`);
      const rows = Array.from({ length: parts }, (_, part) => ({
        key,
        part,
        parts,
        bytes: Buffer.from(bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES)),
        created_at_ms: clock.nowMs(),
      }));
      const [firstRow, ...others] = rows;
      if (firstRow === undefined) return;
      await db.batch([
        db.insert(blobs).values(firstRow).onConflictDoNothing(),
        ...others.map((row) => db.insert(blobs).values(row).onConflictDoNothing()),
      ]);
    },
    get: read,
    async delete(key) {
      await db.delete(blobs).where(and(eq(blobs.key, key)));
    },
  };
}
