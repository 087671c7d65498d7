import { createClient } from '@libsql/client';
import { drizzle } from 'drizzle-orm/libsql';
import { migrate } from 'drizzle-orm/libsql/migrator';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_BLOB_BYTES } from '@switchyard/shared/protocol/limits';
import { openRemoteDatabase } from '../../control-plane/src/db/open-remote-database.ts';
import { blobs } from '../../control-plane/src/db/schema/operation/events.ts';
import { createRowBlobs } from '../../control-plane/src/runners/blobs/create-row-blobs.ts';
import { MIGRATIONS } from '../support/core/migrations.ts';
import { type Sqld, startSqld } from '../support/sqld/start-sqld.ts';

let sqld: Sqld;
beforeEach(async () => {
  sqld = await startSqld();
  const client = createClient({ url: sqld.url, authToken: sqld.token });
  await migrate(drizzle(client), { migrationsFolder: MIGRATIONS });
  client.close();
});
afterEach(() => sqld.stop());

describe('blobs on a libSQL server', () => {
  it('can be read back up to the largest that may be stored', async () => {
    const db = openRemoteDatabase({ url: sqld.url, authToken: sqld.token });
    const store = createRowBlobs(db, { nowMs: () => 0 });
    const bytes = new Uint8Array(MAX_BLOB_BYTES).map((_, index) => (index * 31) % 251);
    await store.put('large', bytes);
    const read = await store.get('large');
    expect(read?.byteLength).toBe(MAX_BLOB_BYTES);
    expect(Buffer.compare(read ?? new Uint8Array(), bytes)).toBe(0);
    await store.put('large', bytes);
    await expect(store.put('large', bytes.subarray(1))).rejects.toThrow('exists with other bytes');
  }, 120_000);

  it('are not there while a part is missing, and can be stored anew then', async () => {
    const db = openRemoteDatabase({ url: sqld.url, authToken: sqld.token });
    const store = createRowBlobs(db, { nowMs: () => 0 });
    const row = { key: 'cut', part: 0, parts: 2, bytes: new Uint8Array([1]), created_at_ms: 0 };
    await db.insert(blobs).values(row);
    expect(await store.get('cut')).toBeNull();
    await store.put('cut', new Uint8Array([2, 3]));
    expect(await store.get('cut')).toEqual(new Uint8Array([2, 3]));
  });
});
