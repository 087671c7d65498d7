import { and, count, eq } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { blobs } from '../../db/schema/operation/events.ts';
import type { Blobs, Clock } from '../../ports.ts';

const PART_BYTES = 1_048_576;

/**
 * Blobs as rows of at most 1 MiB each, so that the database is all there is to back up. A row is
 * written and read at a time: a server limits its answers. A blob is there once all its rows are.
 */
export function createRowBlobs(db: Database, clock: Clock): Blobs {
  async function partOf(key: string, part: number) {
    const [row] = await db
      .select()
      .from(blobs)
      .where(and(eq(blobs.key, key), eq(blobs.part, part)));
    return row;
  }

  async function storedParts(key: string): Promise<number> {
    const [row] = await db.select({ stored: count() }).from(blobs).where(eq(blobs.key, key));
    return row?.stored ?? 0;
  }

  async function read(key: string): Promise<Uint8Array | null> {
    const first = await partOf(key, 0);
    if (first === undefined || (await storedParts(key)) !== first.parts) return null;
    const bytes = new Uint8Array(first.parts * PART_BYTES);
    let length = 0;
    for (let part = 0; part < first.parts; part += 1) {
      const row = part === 0 ? first : await partOf(key, part);
      if (row === undefined) return null;
      bytes.set(row.bytes, length);
      length += row.bytes.byteLength;
    }
    return bytes.subarray(0, length);
  }

  /** Whether a blob is there as a whole and has these bytes; compared a part at a time. */
  async function isSame(key: string, bytes: Uint8Array): Promise<boolean> {
    const parts = Math.max(1, Math.ceil(bytes.byteLength / PART_BYTES));
    for (let part = 0; part < parts; part += 1) {
      const row = await partOf(key, part);
      const own = bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
      if (row?.parts !== parts || !areEqual(row.bytes, own)) return false;
    }
    return true;
  }

  return {
    async put(key, bytes) {
      const parts = Math.max(1, Math.ceil(bytes.byteLength / PART_BYTES));
      const stored = await storedParts(key);
      if (stored > 0 && (await isSame(key, bytes))) return;
      if (stored > 0) {
        const first = await partOf(key, 0);
        if (first?.parts === stored) throw new Error(`blob ${key} exists with other bytes`);
        // An upload that was cut off: nobody could read it.
        await db.delete(blobs).where(eq(blobs.key, key));
      }
      for (let part = 0; part < parts; part += 1) {
        const own = bytes.slice(part * PART_BYTES, (part + 1) * PART_BYTES);
        const row = { key, part, parts, bytes: own, created_at_ms: clock.nowMs() };
        await db.batch([db.insert(blobs).values(row).onConflictDoNothing()]);
      }
    },
    get: read,
    async delete(key) {
      await db.delete(blobs).where(and(eq(blobs.key, key)));
    },
  };
}

function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.byteLength === other.byteLength && one.every((byte, index) => byte === other[index]);
}
