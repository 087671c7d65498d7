import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { drizzle } from 'drizzle-orm/libsql';
import { migrate } from 'drizzle-orm/libsql/migrator';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_BLOB_BYTES } from '@switchyard/shared/protocol/limits';
import type { Database } from '../../control-plane/src/db/database.ts';
import { openRemoteDatabase } from '../../control-plane/src/db/open-remote-database.ts';
import { blobs } from '../../control-plane/src/db/schema/operation/events.ts';
import { createRowBlobs } from '../../control-plane/src/runners/blobs/create-row-blobs.ts';
import { PLATFORM_SETTINGS } from '../contracts/describe-platform.ts';
import { MIGRATIONS } from '../support/core/migrations.ts';
import { until } from '../support/e2e/until.ts';
import { type Sqld, startSqld } from '../support/sqld/start-sqld.ts';
import { openBlobRoute } from '../support/workerd/blob-route.ts';
import { startEdgeDev } from '../support/workerd/edge-dev.ts';
import { largeBlob } from '../support/workerd/large-blob.ts';

const MIB = 1_048_576;

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
    const bytes = largeBlob();
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

  it('leave nothing of an upload that breaks off, and mix none with another', async () => {
    const db = openRemoteDatabase({ url: sqld.url, authToken: sqld.token });
    const store = createRowBlobs(db, { nowMs: () => 0 });
    const { promise: held, resolve: goOn } = Promise.withResolvers<void>();
    const slow = store.put('same', slowly(new Uint8Array(3 * MIB).fill(1), held));
    await until(
      () => rowsOf(db),
      (rows) => rows > 0,
      { what: 'a part', timeoutMs: 20_000 },
    );
    await store.put('same', new Uint8Array(2 * MIB).fill(2));
    goOn();
    await expect(slow).rejects.toThrow();
    expect((await store.get('same'))?.every((byte) => byte === 2)).toBe(true);
    await expect(store.put('broken', breaking(2 * MIB))).rejects.toThrow('broke off');
    expect(await store.get('broken')).toBeNull();
    expect(await rowsOf(db)).toBe(2);
  });
});

it('32 MiB pass through the Worker', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'swy-blobs-'));
  const edge = await startEdgeDev({
    dataDir: folder,
    args: ['--database', sqld.url, '--no-runner'],
    env: { ...PLATFORM_SETTINGS, SERVICE_DATABASE_TOKEN: sqld.token },
  });
  try {
    const route = await openBlobRoute(edge);
    const bytes = largeBlob();
    await route.put('large', bytes);
    expect(await route.digestOf('large')).toBe(createHash('sha256').update(bytes).digest('hex'));
    route.close();
  } finally {
    await edge.kill();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}, 240_000);

async function rowsOf(db: Database): Promise<number> {
  return (await db.select({ part: blobs.part }).from(blobs)).length;
}

async function* slowly(bytes: Uint8Array, held: Promise<void>): AsyncGenerator<Uint8Array> {
  yield bytes.subarray(0, MIB);
  await held;
  yield bytes.subarray(MIB);
}

async function* breaking(bytes: number): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(bytes);
  throw new Error('it broke off');
}
