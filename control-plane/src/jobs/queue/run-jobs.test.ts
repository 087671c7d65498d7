import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../../../test/support/test-database.ts';
import { createTestPorts, type TestPorts } from '../../../../test/support/test-ports.ts';
import type { Database } from '../../db/database.ts';
import { jobs } from '../../db/schema/operation/jobs.ts';
import { enqueueEffect, enqueueJobs } from './enqueue-effect.ts';
import { JobFailed, type JobHandler, JobRefused, MAX_TRIES, runJobs } from './run-jobs.ts';

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

const enqueue = (key: string, { repeat = false } = {}) =>
  db.batch([
    enqueueEffect(db, ports.clock.nowMs(), {
      key,
      effect: { kind: 'tracker.comment' },
      subject: SUBJECT,
      repeat,
    }),
  ]);
const background = { run: () => undefined };
const deps = () => ({ ...ports, db, background, wake: () => undefined });
const runWith = (handler: JobHandler) =>
  runJobs(deps(), { handlerOf: () => handler, mayGoOn: async () => true });
const run = (handle: (key: string) => Promise<void> = async () => {}) =>
  runWith({
    async run(job) {
      await handle(job.key);
      done.push(job.key);
      return [];
    },
    async givenUp(job) {
      givenUp.push(job.key);
    },
  });
const fail = async () => {
  throw new Error('the tracker is down');
};

describe('jobs', () => {
  it('does each effect once, oldest first', async () => {
    await enqueue('b');
    ports.clock.advance(5);
    await enqueue('a');
    await run();
    await run();
    expect(done).toEqual(['b', 'a']);
    expect(await db.select().from(jobs)).toMatchObject([{ status: 'done' }, { status: 'done' }]);
  });

  it('does an effect that was decided twice only once, unless it may repeat', async () => {
    await enqueue('once');
    await enqueue('often', { repeat: true });
    await enqueue('often', { repeat: true });
    await run();
    await enqueue('once');
    await enqueue('often', { repeat: true });
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
    const [row] = await db.select().from(jobs);
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
    expect(await db.select().from(jobs)).toMatchObject([{ status: 'dead', tries: MAX_TRIES }]);
  });

  it('stores and tells nothing that a failed statement was given', async () => {
    await enqueue('broken');
    const told: string[] = [];
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      await runWith({
        run: async () => {
          await db.run(sql`insert into nowhere values (${'a private word'})`);
          return [];
        },
        givenUp: async (_job, { message }) => void told.push(message),
      });
      ports.clock.advance(300_000);
    }
    const [row] = await db.select().from(jobs);
    expect(row?.last_error).toContain('no such table: nowhere');
    expect(told).toHaveLength(1);
    expect(`${row?.last_error} ${told.join()}`).not.toContain('a private word');
  });

  it('gives a refused effect up at once', async () => {
    await enqueue('refused');
    await run(async () => {
      throw new JobRefused('the issue is gone');
    });
    expect(givenUp).toEqual(['refused']);
    expect(await run()).toBe(0);
  });

  it('keeps a wish that came while an older one was being done', async () => {
    await enqueue('comment', { repeat: true });
    await run(() => enqueue('comment', { repeat: true }).then(() => undefined));
    expect(await run()).toBe(1);
    expect(done).toEqual(['comment', 'comment']);
  });
});

describe('a queue', () => {
  const HOUR_MS = 3_600_000;
  const put = (queue: string, key: string) =>
    db.batch([
      enqueueJobs(db, [
        {
          key,
          queue,
          kind: 'test',
          payload: {},
          due_at_ms: ports.clock.nowMs(),
          created_at_ms: ports.clock.nowMs(),
        },
      ]),
    ]);
  const rows = async () =>
    Object.fromEntries((await db.select().from(jobs)).map((row) => [row.key, row]));
  /** Begins what is due, and again whenever one of it has ended, until nothing is left to begin. */
  const serve = async (handle: (key: string) => Promise<void>): Promise<void> => {
    const begun: Promise<unknown>[] = [];
    const background = {
      run: (_name: string, task: () => Promise<void>) => void begun.push(task().then(serveOn)),
    };
    const run = async (key: string) => {
      await handle(key);
      done.push(key);
      return [];
    };
    const handler: JobHandler = {
      maxAgeMs: 6 * HOUR_MS,
      run: async ({ key }) => ({ end: run(key), withinMs: 60_000 }),
    };
    const worker = { handlerOf: () => handler, mayGoOn: async () => true };
    const serveOn = () => runJobs({ ...deps(), background }, worker);
    await serveOn();
    for (let at = 0; at < begun.length; at += 1) await begun[at];
  };
  const failing = (queue: string, error: Error) => async (key: string) => {
    if (key.startsWith(queue)) throw error;
  };

  it('is done in order, one at a time, and beside others', async () => {
    await put('a', 'a2');
    ports.clock.advance(1);
    await put('a', 'a1');
    await put('b', 'b1');
    const hung = Promise.withResolvers<void>();
    const all = serve((key) => (key === 'a2' ? hung.promise : Promise.resolve()));
    await expect.poll(() => done).toEqual(['b1']);
    await serve(async () => {});
    expect(done).toEqual(['b1']);
    hung.resolve();
    await all;
    expect(done).toEqual(['b1', 'a2', 'a1']);
  });

  it('waits behind a job that failed, and goes on without one that was refused', async () => {
    await put('a', 'a1');
    await put('a', 'a2');
    await put('b', 'b1');
    await put('b', 'b2');
    await serve(failing('a1', new JobFailed('down', { retryAtMs: ports.clock.nowMs() + 60_000 })));
    await serve(failing('b1', new JobRefused('useless')));
    expect(done).toEqual(['b1', 'b2']);
    ports.clock.advance(59_999);
    await serve(async () => {});
    expect(done).toEqual(['b1', 'b2']);
    ports.clock.advance(1);
    await serve(async () => {});
    expect(done).toEqual(['b1', 'b2', 'a1', 'a2']);
  });

  it('rests also when its first job is given up, and drops what is too old', async () => {
    await put('a', 'a1');
    await put('a', 'a2');
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      await serve(failing('a', new Error('down')));
      ports.clock.advance(tries === MAX_TRIES - 1 ? 1_000 : 300_000);
    }
    await serve(async () => {});
    expect(done).toEqual([]);
    expect(await rows()).toMatchObject({ a1: { status: 'dead' }, a2: { tries: 0 } });
    ports.clock.advance(7 * HOUR_MS);
    await put('a', 'a3');
    await serve(failing('a', new Error('still down')));
    expect(await rows()).toMatchObject({
      a2: { status: 'dead', last_error: 'too old by now; still down' },
      a3: { status: 'pending' },
    });
  });

  it('goes on after a crash once the claim has ended', async () => {
    await put('a', 'a1');
    void serve(() => new Promise(() => {}));
    await expect
      .poll(async () => (await rows())['a1']?.due_at_ms)
      .toBeGreaterThan(ports.clock.nowMs());
    await serve(async () => {});
    expect(done).toEqual([]);
    ports.clock.advance(60_000);
    await serve(async () => {});
    expect(done).toEqual(['a1']);
  });
});
