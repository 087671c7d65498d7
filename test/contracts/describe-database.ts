import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { eq, sql } from 'drizzle-orm';
import { assert, asyncProperty, integer } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditStatement } from '../../control-plane/src/observe/audit/audit-statement.ts';
import type { Database } from '../../control-plane/src/db/database.ts';
import {
  commitSteps,
  expectRowsAffected,
  isConflict,
} from '../../control-plane/src/db/commit-steps.ts';
import { audit } from '../../control-plane/src/db/schema/operation/audit.ts';
import { facts } from '../../control-plane/src/db/schema/admin/config.ts';
import { counters, eventChunks } from '../../control-plane/src/db/schema/operation/events.ts';
import { appendEvents } from '../../control-plane/src/observe/events/append-events.ts';
import {
  attemptEvents,
  BYTES_PER_READ,
  eventsAfter,
  lastEventSeq,
  recentAttemptEvents,
} from '../../control-plane/src/observe/events/queries.ts';
import {
  chunksWithTerms,
  issuesWithTerms,
  pullRequestsWithTerms,
} from '../../control-plane/src/admin/search/queries.ts';
import { PERSON } from '../support/core/core-world.ts';
import { dumpTables } from '../support/core/dump-tables.ts';
import { countEvents, sizedChunks, storeChunks } from '../support/core/sized-chunks.ts';

export const fact = (name: string) => ({ name, value: {}, updated_at_ms: 0 });
const event = (text: string) => ({ type: 'issue.updated' as const, atMs: 0, data: { text } });

/** Chunk by chunk: numbers follow each other without a gap and without a double. */
export async function expectContiguous(db: Database, total: number): Promise<void> {
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

/** True when it was committed, false for the conflict that `failing` makes. */
export async function appendOne(
  db: Database,
  texts: string[],
  { failing = false } = {},
): Promise<boolean> {
  const nobody = db.update(facts).set({ updated_at_ms: 1 }).where(eq(facts.name, 'nobody'));
  const results = await commitSteps(db, [
    ...appendEvents(db, 0, texts.map(event)),
    ...(failing ? [expectRowsAffected(nobody)] : []),
  ]);
  return results !== null;
}

/** All rows of a list that is read in pieces. */
async function inAll<T>(pieces: AsyncIterable<T[]>): Promise<T[]> {
  const rows: T[] = [];
  for await (const piece of pieces) rows.push(...piece);
  return rows;
}
const seqsOf = (events: readonly StreamEvent[]) => events.map(({ seq }) => seq);

/** All events of an attempt, page by page. */
async function allOf(db: Database, attemptId: string): Promise<StreamEvent[]> {
  const all: StreamEvent[] = [];
  for (;;) {
    const afterSeq = all.at(-1)?.seq ?? 0;
    const page = await attemptEvents(db, { attemptId, afterSeq, limit: 3 });
    if (page.length === 0) return all;
    all.push(...page);
  }
}

/** What the core relies on, wherever the rows are. `open` gives a further way to the same rows. */
export function describeDatabase(name: string, open: () => Promise<Database>): void {
  describe(`database: ${name}`, () => {
    it('takes text with half a surrogate pair, and gives it back as every reader takes it', async () => {
      const db = await open();
      const name = 'half \ud83d pair';
      await db.insert(facts).values({ ...fact(name), value: { name } });
      const [stored] = await db.select().from(facts).where(eq(facts.name, name));
      expect(stored?.name).toBe('half \ufffd pair');
      await db.delete(facts).where(eq(facts.name, name));
      expect(await db.select().from(facts).where(eq(facts.name, name))).toEqual([]);
    });

    it('is searched by words, whatever signs they have', async () => {
      const db = await open();
      const data = {
        identifier: 'SY-1',
        kind: 'log',
        payload: { text: 'Ärger with "quotes" 100%' },
      };
      const origin = { attemptId: 'att_1', epoch: 1, fromRunnerSeq: null };
      const [first, ...rest] = appendEvents(
        db,
        0,
        [{ type: 'attempt.event', atMs: 0, data }],
        origin,
      );
      if (first === undefined) throw new Error('no statements');
      await db.batch([first, ...rest]);
      const chunks = async (...words: string[]) => inAll(chunksWithTerms(db, words));
      expect(await chunks('ärger', '"quotes"', '100%')).toHaveLength(1);
      expect(await chunks('ärger', 'quiet')).toEqual([]);
      expect(await inAll(issuesWithTerms(db, ["it's", '%']))).toEqual([]);
      expect(await inAll(pullRequestsWithTerms(db, ["it's"]))).toEqual([]);
    });

    it('rolls the whole batch back when a compare-and-swap is lost, and tells so', async () => {
      const db = await open();
      await db.insert(facts).values(fact('here'));
      const before = await dumpTables(db);
      const answer = await commitSteps(db, [
        expectRowsAffected(db.insert(facts).values(fact('before'))),
        expectRowsAffected(
          db.update(facts).set({ updated_at_ms: 9 }).where(eq(facts.name, 'gone')),
        ),
        db.insert(facts).values(fact('after')),
        ...appendEvents(db, 0, [event('never')]),
      ]);
      expect(answer).toBeNull();
      expect(await dumpTables(db)).toEqual(before);
      const here = db.update(facts).set({ updated_at_ms: 9 }).where(eq(facts.name, 'here'));
      expect(await commitSteps(db, [expectRowsAffected(here)])).not.toBeNull();
    });

    it('calls it a conflict as well when a statement changes more than one row', async () => {
      const db = await open();
      await db.insert(facts).values([fact('one'), fact('two')]);
      const both = db.update(facts).set({ updated_at_ms: 1 });
      expect(await commitSteps(db, [expectRowsAffected(both)])).toBeNull();
      expect(await db.select().from(facts).where(eq(facts.updated_at_ms, 1))).toEqual([]);
    });

    it('takes no other failure for a lost compare-and-swap', async () => {
      const db = await open();
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
        expect(isConflict(error)).toBe(false);
      }
    });

    it('does not take broken JSON in a row for a lost compare-and-swap', async () => {
      const db = await open();
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
        expect(isConflict(error)).toBe(false);
      }
    });

    it('numbers the events of concurrent batches without gap or double, aborted ones left out', async () => {
      const db = await open();
      const second = await open();
      const work = Array.from({ length: 60 }, (_, index) =>
        appendOne(index % 2 === 0 ? db : second, ['x', 'y'], { failing: index % 3 === 0 }),
      );
      const outcomes = await Promise.all(work);
      expect(outcomes.filter((committed) => committed)).toHaveLength(40);
      expect(outcomes.filter((committed) => !committed)).toHaveLength(20);
      await expectContiguous(db, 80);
      const [counter] = await db.select().from(counters).where(eq(counters.name, 'event_seq'));
      expect(counter?.value).toBe(80);
    });

    it('gives at least one new event with each page, whatever the sizes and the place', async () => {
      const db = await open();
      let runs = 0;
      const input = [sizedChunks(BYTES_PER_READ), integer({ min: 1, max: 4 })] as const;
      await assert(
        asyncProperty(...input, async (chunks, limit) => {
          const attemptId = `att_${(runs += 1)}`;
          const before = await lastEventSeq(db);
          await storeChunks(db, chunks, attemptId);
          const last = before + countEvents(chunks);
          for (let afterSeq = before; afterSeq <= last; afterSeq += 1) {
            const left = Array.from({ length: last - afterSeq }, (_, at) => afterSeq + at + 1);
            const page = seqsOf((await eventsAfter(db, afterSeq)).events);
            expect(page).toEqual(left.slice(0, Math.max(1, page.length)));
            const ofAttempt = await attemptEvents(db, { attemptId, afterSeq, limit });
            expect(seqsOf(ofAttempt)).toEqual(left.slice(0, limit));
          }
          const newest = seqsOf(await recentAttemptEvents(db, attemptId, limit));
          expect(newest).toEqual(seqsOf(await allOf(db, attemptId)).slice(-limit));
        }),
        { numRuns: 8 },
      );
    });

    it('gives the events of an attempt however large they are together', async () => {
      const db = await open();
      const chunk = { bytes: 500_000, events: 10, letter: '"' };
      await storeChunks(
        db,
        Array.from({ length: 30 }, () => chunk),
        'att_1',
      );
      const all = Array.from({ length: 300 }, (_, at) => at + 1);
      const page = await attemptEvents(db, { attemptId: 'att_1', afterSeq: 5, limit: 500 });
      expect(seqsOf(page)).toEqual(all.slice(5));
      const newest = seqsOf(await recentAttemptEvents(db, 'att_1', 400));
      expect(newest.length).toBeGreaterThan(0);
      expect(newest).toEqual(all.slice(-newest.length));
    });

    it('keeps audit entries as they are', async () => {
      const db = await open();
      await db.batch([
        auditStatement(db, 5, PERSON, { operation: 'issue.abort', subject: 'SY-1' }),
      ]);
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
}
