import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testSpec } from '../testing/attempt-spec.ts';
import { Journal, JournalInUse } from './journal.ts';
import { Spool } from './spool.ts';
import { StoreUnusable } from './store-file.ts';

const A = { attemptId: 'att_1', epoch: 3 };
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'swy-store-'));
  path = join(folder, 'journal.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** How older versions made their files: with Node's own SQLite. */
const OLD_JOURNAL = `
  const db = new DatabaseSync(process.argv[1], { timeout: 250 });
  db.exec('pragma locking_mode = exclusive; pragma journal_mode = wal;');
  db.exec(\`pragma synchronous = full;
    create table if not exists attempts(
      attempt_id text not null, epoch integer not null, phase text not null,
      granted integer not null, container_id text, boot_id text not null,
      spec text not null, progress text not null, finish text,
      primary key (attempt_id, epoch)
    ) strict;
    create table if not exists meta(key text primary key, value text not null) strict;\`);
  db.prepare("insert into attempts values (?, ?, 'running', 1, 'c', 'boot', ?, ?, null)")
    .run('att_1', 3, process.argv[2], '{"threadId":"t"}');
  db.prepare("insert into meta values ('lease_end', '42')").run();`;
const OLD_SPOOL = `
  const db = new DatabaseSync(process.argv[1], { timeout: 250 });
  db.exec('pragma journal_mode = wal; pragma synchronous = normal;');
  db.exec(\`create table streams(
      attempt_id text not null, epoch integer not null, spooled_seq integer not null,
      acked_seq integer not null, digest text not null, bytes integer not null,
      late_since_ms integer, engine text,
      primary key (attempt_id, epoch)
    ) strict;
    create table events(
      attempt_id text not null, epoch integer not null, seq integer not null, at_ms integer not null,
      kind text not null, payload text not null, bytes integer not null,
      primary key (attempt_id, epoch, seq)
    ) strict, without rowid;\`);
  db.prepare("insert into streams values ('att_1', 3, 1, 0, 'd', 110, null, ?)")
    .run('{"stdoutOffset":7,"nextRpcId":3,"pending":[]}');
  db.prepare("insert into events values ('att_1', 3, 1, 1760000000000, 'log', ?, 110)")
    .run('{"text":"grün"}');`;

/** Runs it in a process of its own that ends as told. */
function withNodesSqlite(script: string, end: 'close' | 'kill', ...args: string[]): void {
  const last = end === 'close' ? 'db.close();' : `process.kill(process.pid, 'SIGKILL');`;
  const program = `import { DatabaseSync } from 'node:sqlite';${script}\n${last}`;
  const node = spawnSync(process.execPath, ['--input-type=module', '-e', program, ...args], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  const { status, signal, stderr } = node;
  const expected = end === 'close' ? [0, null] : [null, 'SIGKILL'];
  expect([status, signal], stderr).toEqual(expected);
}

describe.each(['close', 'kill'] as const)('a file of an older version (%s)', (end) => {
  it('is read by the journal', () => {
    withNodesSqlite(OLD_JOURNAL, end, path, JSON.stringify(testSpec({ prompt: 'Old.' })));
    expect(existsSync(`${path}-wal`)).toBe(end === 'kill');
    const journal = new Journal(path);
    expect(journal.list()).toMatchObject([
      { ...A, granted: true, phase: 'running', containerId: 'c', progress: { threadId: 't' } },
    ]);
    expect(journal.get(A)?.spec.prompt).toBe('Old.');
    expect(journal.leaseEnd()).toBe(42);
    journal.update(A, { progress: { turnNumber: 1 } });
    journal.close();
  });

  it('is read by the spool', async () => {
    withNodesSqlite(OLD_SPOOL, end, path);
    const spool = new Spool(path);
    expect(spool.stream(A)).toEqual({ spooledSeq: 1, ackedSeq: 0, digest: 'd', bytes: 110 });
    expect(spool.loadEngine(A)).toEqual({ stdoutOffset: 7, nextRpcId: 3, pending: [] });
    await spool.append(A, 'log', { n: 2 }, 5);
    expect(spool.read(A, 1, 10, 1_000).map(({ item }) => item)).toEqual([
      { seq: 1, atMs: 1_760_000_000_000, kind: 'log', payload: { text: 'grün' } },
      { seq: 2, atMs: 5, kind: 'log', payload: { n: 2 } },
    ]);
    spool.close();
  });
});

it('keeps a process of an older version out, and is kept out by it', () => {
  const open = `
    const db = new DatabaseSync(process.argv[1], { timeout: 50 });
    try {
      db.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; begin immediate; commit;');
      console.log('opened');
    } catch (error) { console.log(error.message); }`;
  const older = () =>
    execFileSync(
      process.execPath,
      ['--input-type=module', '-e', `import { DatabaseSync } from 'node:sqlite';${open}`, path],
      { encoding: 'utf8', timeout: 20_000 },
    ).trim();
  const journal = new Journal(path);
  journal.accept(A, testSpec(), 'boot');
  expect(older()).toMatch(/locked/);
  journal.close();
  expect(older()).toBe('opened');
});

it('leaves nothing but the file behind, and at once', () => {
  const spoolPath = join(folder, 'spool.db');
  for (let times = 0; times < 3; times += 1) {
    const journal = new Journal(path);
    const spool = new Spool(spoolPath);
    journal.accept({ ...A, epoch: times }, testSpec(), 'boot');
    spool.open({ ...A, epoch: times });
    expect(() => new Journal(path)).toThrow(JournalInUse);
    expect(journal.list()).toHaveLength(times + 1);
    spool.close();
    journal.close();
    expect(existsSync(`${path}-wal`)).toBe(false);
  }
});

it('reads one large event at a time where no more may be sent', async () => {
  const spool = new Spool(':memory:');
  spool.open(A);
  const text = 'x'.repeat(30_000);
  for (const n of [1, 2, 3]) await spool.append(A, 'log', { text, n }, n);
  const seqs = (from: number, maxBytes: number) =>
    spool.read(A, from, 64, maxBytes).map(({ item }) => item.seq);
  expect(seqs(1, 1)).toEqual([1]);
  expect(seqs(2, 65_536)).toEqual([2, 3]);
  expect(seqs(1, 1_000_000)).toEqual([1, 2, 3]);
  expect(seqs(4, 1_000_000)).toEqual([]);
  spool.close();
});

describe('a file that cannot be used', () => {
  it.each([Journal, Spool])('says what to do when it is damaged (%o)', (Store) => {
    writeFileSync(path, 'not a database '.repeat(500));
    expect(() => new Store(path)).toThrow(StoreUnusable);
    expect(() => new Store(path)).toThrow(/journal\.db is damaged .*move it .*away/);
  });

  it('is not touched when a newer version wrote it', () => {
    const newer = `
      const db = new DatabaseSync(process.argv[1]);
      db.exec('pragma user_version = 2; create table other(a)');`;
    withNodesSqlite(newer, 'close', path);
    expect(() => new Journal(path)).toThrow(/newer Switchyard wrote .*--data-dir/);
    const unchanged = `
      const db = new DatabaseSync(process.argv[1]);
      const names = db.prepare('select name from sqlite_schema').all().map(({ name }) => name);
      if (names.join() !== 'other') throw new Error(names.join());`;
    withNodesSqlite(unchanged, 'close', path);
  });

  it('says which folder refuses it', () => {
    const missing = join(folder, 'missing', 'journal.db');
    expect(() => new Journal(missing)).toThrow(
      /missing\/journal\.db cannot be opened for writing .*--data-dir/,
    );
  });
});
