import { and, asc, eq } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { blobs } from '../../db/schema/operation/events.ts';
import type { Blobs, Clock } from '../../ports.ts';

const PART_BYTES = 1_048_576;

/** Blobs as rows of at most 1 MiB each, so that the database file is all there is to back up. */
export function createRowBlobs(db: Database, clock: Clock): Blobs {
  async function read(key: string): Promise<Uint8Array | null> {
    const rows = await db.select().from(blobs).where(eq(blobs.key, key)).orderBy(asc(blobs.part));
    const [first] = rows;
    if (first === undefined || rows.length !== first.parts) return null;
    return joined(rows.map((row) => row.bytes));
  }
  return {
    async put(key, bytes) {
      const parts = Math.max(1, Math.ceil(bytes.byteLength / PART_BYTES));
      const stored = await read(key);
      if (stored !== null && areEqual(stored, bytes)) return;
      if (stored !== null) throw new Error(`blob ${key} exists with other bytes`);
      const rows = Array.from({ length: parts }, (_, part) => ({
        key,
        part,
        parts,
        bytes: bytes.slice(part * PART_BYTES, (part + 1) * PART_BYTES),
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

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes;
}

function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.byteLength === other.byteLength && one.every((byte, index) => byte === other[index]);
}
