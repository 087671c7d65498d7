import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditStatement } from '../../control-plane/src/audit/audit-statement.ts';
import type { Database } from '../../control-plane/src/db/database.ts';
import { isFenced, requireChange } from '../../control-plane/src/db/require-change.ts';
import { audit } from '../../control-plane/src/db/schema/audit.ts';
import { facts } from '../../control-plane/src/db/schema/config.ts';
import { counters, eventChunks } from '../../control-plane/src/db/schema/events.ts';
import { appendEvents } from '../../control-plane/src/events/append.ts';
import { eventsAfter, lastEventSeq } from '../../control-plane/src/events/queries.ts';
import {
  type OpenDatabase,
  openDatabase,
} from '../../control-plane/src/platform/node/open-database.ts';
import { PERSON } from '../support/core/core-world.ts';
import { dumpTables } from '../support/core/dump-tables.ts';
import { MIGRATIONS } from '../support/core/migrations.ts';
import { startOtherProcess } from '../support/core/other-process.ts';

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

const fact = (name: string) => ({ name, value: {}, updated_at_ms: 0 });
const event = (text: string) => ({ type: 'test', atMs: 0, data: { text } });

/** Chunk by chunk: numbers follow each other without a gap and without a double. */
async function expectContiguous(db: Database, total: number): Promise<void> {
  const chunks = await db.select().from(eventChunks).orderBy(eventChunks.first_seq);
  let last = 0;
  for (const chunk of chunks) {
    expect(chunk.first_seq).toBe(last + 1);
    expect(chunk.last_seq - chunk.first_seq + 1).toBe(chunk.items.length);
    last = chunk.last_seq;
  }
  expect(last).toBe(total);
  expect(await lastEventSeq(db)).toBe(total);
}

async function appendOne(db: Database, texts: string[], failing = false): Promise<void> {
  const [first, ...rest] = appendEvents(db, 0, texts.map(event));
  if (first === undefined) throw new Error('no statements');
  const lost = failing
    ? [
        db.update(facts).set({ updated_at_ms: 1 }).where(eq(facts.name, 'nobody')),
        requireChange(db),
      ]
    : [];
  await db.batch([first, ...rest, ...lost]);
}

describe('database: a file', () => {
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

  it('rolls the whole batch back when a compare-and-swap is lost, and tells so', async () => {
    const db = await openHere();
    await db.insert(facts).values(fact('here'));
    const before = await dumpTables(db);
    const [firstEvent, ...events] = appendEvents(db, 0, [event('never')]);
    const batch = db.batch([
      db.insert(facts).values(fact('before')),
      requireChange(db),
      db.update(facts).set({ updated_at_ms: 9 }).where(eq(facts.name, 'gone')),
      requireChange(db),
      db.insert(facts).values(fact('after')),
      ...(firstEvent === undefined ? [] : [firstEvent, ...events]),
    ]);
    const error: unknown = await batch.catch((caught: unknown) => caught);
    expect(isFenced(error)).toBe(true);
    expect(await dumpTables(db)).toEqual(before);
    await db.batch([
      db.update(facts).set({ updated_at_ms: 9 }).where(eq(facts.name, 'here')),
      requireChange(db),
    ]);
  });

  it('is also fenced by a statement that changes more than one row', async () => {
    const db = await openHere();
    await db.insert(facts).values([fact('one'), fact('two')]);
    const error: unknown = await db
      .batch([db.update(facts).set({ updated_at_ms: 1 }), requireChange(db)])
      .catch((caught: unknown) => caught);
    expect(isFenced(error)).toBe(true);
    expect(await db.select().from(facts).where(eq(facts.updated_at_ms, 1))).toEqual([]);
  });

  it('takes no other failure for a lost compare-and-swap', async () => {
    const db = await openHere();
    await db.insert(facts).values(fact('malformed JSON'));
    const failures: (() => Promise<unknown>)[] = [
      () => db.insert(facts).values(fact('malformed JSON')),
      () => db.batch([db.insert(facts).values(fact('malformed JSON'))]),
      () =>
        db.batch([
          db.insert(facts).values({ ...fact('x'), value: { text: 'malformed JSON' } }),
          db.run(sql`insert into no_such_table values ('malformed JSON')`),
        ]),
      () => db.run(sql`select * from "malformed JSON"`),
      () => db.batch([db.run(sql`select 'malformed JSON' from no_such_table`)]),
      async () => JSON.parse('malformed JSON') as unknown,
    ];
    for (const fail of failures) {
      const error: unknown = await fail().then(
        () => undefined,
        (caught: unknown) => caught,
      );
      expect(error).toBeInstanceOf(Error);
      expect(isFenced(error)).toBe(false);
    }
  });

  it('does not take broken JSON in a row for a lost compare-and-swap', async () => {
    const db = await openHere();
    await db.run(
      sql`insert into facts (name, value, updated_at_ms) values ('broken', '{not json', 0)`,
    );
    const read = sql`select json_extract(value, '$.a') from facts where name = 'broken'`;
    for (const fail of [() => db.run(read), () => db.batch([db.run(read)])]) {
      const error: unknown = await fail().then(
        () => undefined,
        (caught: unknown) => caught,
      );
      expect(error).toBeInstanceOf(Error);
      expect(isFenced(error)).toBe(false);
    }
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

  it('numbers the events of concurrent batches without gap or double, aborted ones left out', async () => {
    const db = await openHere();
    const second = await openHere();
    const work = Array.from({ length: 60 }, (_, index) =>
      appendOne(index % 2 === 0 ? db : second, ['x', 'y'], index % 3 === 0).then(
        () => 'committed',
        (error: unknown) => (isFenced(error) ? 'fenced' : String(error)),
      ),
    );
    const outcomes = await Promise.all(work);
    expect(outcomes.filter((outcome) => outcome === 'committed')).toHaveLength(40);
    expect(outcomes.filter((outcome) => outcome === 'fenced')).toHaveLength(20);
    await expectContiguous(db, 80);
    const [counter] = await db.select().from(counters).where(eq(counters.name, 'event_seq'));
    expect(counter?.value).toBe(80);
  });

  it('keeps audit entries as they are', async () => {
    const db = await openHere();
    await db.batch([auditStatement(db, 5, PERSON, { operation: 'issue.abort', subject: 'SY-1' })]);
    await expect(db.update(audit).set({ actor: 'mallory' })).rejects.toThrow();
    await expect(db.delete(audit)).rejects.toThrow();
    await expect(
      db.batch([db.insert(facts).values(fact('x')), db.delete(audit)]),
    ).rejects.toThrow();
    expect(await db.select().from(audit)).toMatchObject([
      { actor: 'ada', operation: 'issue.abort' },
    ]);
    expect(await db.select().from(facts).where(eq(facts.name, 'x'))).toEqual([]);
  });
});
