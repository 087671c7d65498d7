import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../../../test/support/test-database.ts';
import { createTestPorts, type TestPorts } from '../../../../test/support/test-ports.ts';
import type { Database } from '../../db/database.ts';
import { outbox } from '../../db/schema/operation/outbox.ts';
import { enqueueEffect } from './enqueue.ts';
import { EffectRefused, MAX_TRIES, runOutbox } from './run-outbox.ts';

const SUBJECT = { tracker: 'local', issueId: 'iss_1', attemptId: null };

let db: Database;
let close: () => Promise<void>;
let ports: TestPorts;
let done: string[];
let givenUp: string[];
beforeEach(async () => {
  ({ db, close } = await createTestDatabase());
  ports = createTestPorts();
  done = [];
  givenUp = [];
});
afterEach(() => close());

const enqueue = (key: string, repeat = false) =>
  db.batch([
    enqueueEffect(db, ports.clock.nowMs(), {
      key,
      effect: { kind: 'tracker.comment' },
      subject: SUBJECT,
      repeat,
    }),
  ]);
const run = (handle: (key: string) => Promise<void> = async () => {}) =>
  runOutbox(
    { db, clock: ports.clock, logger: ports.logger },
    async (row) => {
      await handle(row.key);
      done.push(row.key);
    },
    async (row) => void givenUp.push(row.key),
  );
const fail = async () => {
  throw new Error('the tracker is down');
};

describe('the outbox', () => {
  it('does each effect once, oldest first', async () => {
    await enqueue('b');
    ports.clock.advance(5);
    await enqueue('a');
    await run();
    await run();
    expect(done).toEqual(['b', 'a']);
    expect(await db.select().from(outbox)).toMatchObject([{ status: 'done' }, { status: 'done' }]);
  });

  it('does an effect that was decided twice only once, unless it may repeat', async () => {
    await enqueue('once');
    await enqueue('often', true);
    await enqueue('often', true);
    await run();
    await enqueue('once');
    await enqueue('often', true);
    await run();
    expect(done).toEqual(['often', 'once', 'often']);
  });

  it('tries a failing effect again, later and later, and lets others go first', async () => {
    await enqueue('broken');
    await enqueue('fine');
    const broken = (key: string) => (key === 'broken' ? fail() : Promise.resolve());
    await run(broken);
    expect(done).toEqual(['fine']);
    await run(broken);
    const [row] = await db.select().from(outbox);
    expect(row).toMatchObject({ tries: 1, status: 'pending', last_error: 'the tracker is down' });
    ports.clock.advance(1_999);
    expect(await run()).toBe(0);
    ports.clock.advance(1);
    await run();
    expect(done).toEqual(['fine', 'broken']);
  });

  it('gives an effect up after its last try, and tells whoever waits for it', async () => {
    await enqueue('broken');
    for (let tries = 0; tries < MAX_TRIES + 3; tries += 1) {
      await run(fail);
      ports.clock.advance(300_000);
    }
    expect(givenUp).toEqual(['broken']);
    expect(await db.select().from(outbox)).toMatchObject([{ status: 'dead', tries: MAX_TRIES }]);
  });

  it('stores and tells nothing that a failed statement was given', async () => {
    await enqueue('broken');
    const told: string[] = [];
    const deps = { db, clock: ports.clock, logger: ports.logger };
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      await runOutbox(
        deps,
        () => db.run(sql`insert into nowhere values (${'a private word'})`).then(() => undefined),
        async (_row, _effect, { message }) => void told.push(message),
      );
      ports.clock.advance(300_000);
    }
    const [row] = await db.select().from(outbox);
    expect(row?.last_error).toContain('no such table: nowhere');
    expect(told).toHaveLength(1);
    expect(`${row?.last_error} ${told.join()}`).not.toContain('a private word');
  });

  it('gives a refused effect up at once', async () => {
    await enqueue('refused');
    await run(async () => {
      throw new EffectRefused('the issue is gone');
    });
    expect(givenUp).toEqual(['refused']);
    expect(await run()).toBe(0);
  });

  it('keeps a wish that came while an older one was being done', async () => {
    await enqueue('comment', true);
    await run(() => enqueue('comment', true).then(() => undefined));
    expect(await run()).toBe(1);
    expect(done).toEqual(['comment', 'comment']);
  });

  it('goes on with the others when one cannot be read', async () => {
    await enqueue('fine');
    await db.insert(outbox).values({
      key: '0-odd',
      kind: 'tracker.teleport',
      payload: {},
      next_try_at_ms: 0,
      created_at_ms: 0,
    });
    await run();
    expect(done).toEqual(['fine']);
  });
});
