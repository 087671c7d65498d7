import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../control-plane/src/db/database.ts';
import { facts } from '../../control-plane/src/db/schema/admin/config.ts';
import { eventsAfter, lastEventSeq } from '../../control-plane/src/observe/events/queries.ts';
import {
  type OpenDatabase,
  openDatabase,
} from '../../control-plane/src/platform/node/database/open-database.ts';
import { dumpTables } from '../support/core/dump-tables.ts';
import { MIGRATIONS } from '../support/core/migrations.ts';
import { startOtherProcess } from '../support/core/other-process.ts';
import { appendOne, describeDatabase, expectContiguous, fact } from './describe-database.ts';

const PROGRAMS = join(import.meta.dirname, '../support/core');

let folder: string;
let path: string;
let open: OpenDatabase[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-database-'));
  path = join(folder, 'switchyard.db');
  open = [];
});
afterEach(async () => {
  for (const opened of open) opened.close();
  await rm(folder, { recursive: true, force: true });
});

async function openHere(): Promise<Database> {
  const opened = await openDatabase(path, MIGRATIONS);
  open.push(opened);
  return opened.db;
}

describeDatabase('a file', openHere);

describe('database: a file among processes', () => {
  it('writes ahead in a log, waits for locks and keeps foreign keys', async () => {
    const db = await openHere();
    expect(await db.get(sql`pragma journal_mode`)).toMatchObject({ journal_mode: 'wal' });
    expect(await db.get(sql`pragma foreign_keys`)).toMatchObject({ foreign_keys: 1 });
    expect(await db.get(sql`pragma synchronous`)).toMatchObject({ synchronous: 2 });
  });

  it('can be opened and migrated again without a change', async () => {
    const db = await openHere();
    await db.insert(facts).values(fact('kept'));
    const before = await dumpTables(db);
    expect(await dumpTables(await openHere())).toEqual(before);
  });

  it('can be opened for the first time by two processes at once', async () => {
    const program = join(PROGRAMS, 'append-batches.ts');
    const others = [1, 2, 3].map((name) => startOtherProcess(program, [path, '0', String(name)]));
    await Promise.all(others.map((other) => other.ended()));
    expect(await lastEventSeq(await openHere())).toBe(0);
  });

  it('tells that rows have changed, whoever changed them, and nothing else', async () => {
    const db = await openHere();
    const versions = [db.rowsVersion?.()];
    const seen = () => versions.push(db.rowsVersion?.());
    await db.select().from(facts);
    await db.batch([db.select().from(facts)]);
    seen();
    expect(new Set(versions).size).toBe(1);
    await db.insert(facts).values(fact('own'));
    seen();
    await db.batch([db.update(facts).set({ value: fact('other').value })]);
    seen();
    await (await openHere()).insert(facts).values(fact('of another connection'));
    seen();
    await db.delete(facts).returning();
    seen();
    expect(new Set(versions).size).toBe(5);
  });

  it('goes on while another process holds the write lock, and after', async () => {
    const db = await openHere();
    const holder = startOtherProcess(join(PROGRAMS, 'hold-write-lock.ts'), [path, '1200']);
    await holder.said('holding');
    expect(await lastEventSeq(db)).toBe(0);
    await Promise.all([
      appendOne(db, ['a']),
      appendOne(db, ['b', 'c']),
      db.insert(facts).values(fact('single')),
    ]);
    await holder.ended();
    await appendOne(db, ['d']);
    await expectContiguous(db, 4);
    expect(await db.select().from(facts).where(eq(facts.name, 'single'))).toHaveLength(1);
    expect(await db.get(sql`pragma foreign_keys`)).toMatchObject({ foreign_keys: 1 });
  });

  it('commits every batch of two processes that write at the same time', async () => {
    const db = await openHere();
    const count = 300;
    const program = join(PROGRAMS, 'append-batches.ts');
    const others = ['one', 'two'].map((name) =>
      startOtherProcess(program, [path, String(count), name]),
    );
    await Promise.all(others.map((other) => other.ended()));
    await expectContiguous(db, 2 * 2 * count);
    const batches = new Set<string>();
    let after = 0;
    for (;;) {
      const { events } = await eventsAfter(db, after);
      const last = events.at(-1);
      if (last === undefined) break;
      for (const { data } of events)
        batches.add(`${String(data['name'])} ${String(data['batch'])}`);
      after = last.seq;
    }
    expect(batches.size).toBe(2 * count);
  });
});
