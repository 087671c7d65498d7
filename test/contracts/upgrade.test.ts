import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@libsql/client';
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordVersion } from '../../control-plane/src/db/record-version.ts';
import { backupBeforeMigrations } from '../../control-plane/src/platform/node/backup/backup-before-migrations.ts';
import {
  migrationState,
  ownVersion,
} from '../../control-plane/src/platform/node/backup/migration-state.ts';
import { restoreBackup } from '../../control-plane/src/platform/node/backup/restore-backup.ts';
import {
  DATABASE_FILE,
  takeBackup,
} from '../../control-plane/src/platform/node/backup/take-backup.ts';
import { takeBoundedBackup } from '../../control-plane/src/platform/node/backup/take-bounded-backup.ts';
import { openDatabase } from '../../control-plane/src/platform/node/database/open-database.ts';
import { MIGRATIONS } from '../support/core/migrations.ts';

const Journal = z.looseObject({
  entries: z.array(z.looseObject({ tag: z.string(), when: z.number() })),
});
const Column = z.object({ name: z.string(), type: z.string() });
type Table = { name: string; rows: Record<string, unknown>[] };

async function readJournal(folder: string) {
  return Journal.parse(JSON.parse(await readFile(join(folder, 'meta/_journal.json'), 'utf8')));
}

/** The migrations as a later release would have them. */
async function laterMigrations(folder: string): Promise<string> {
  const later = join(folder, 'later-migrations');
  await cp(MIGRATIONS, later, { recursive: true });
  const journal = await readJournal(later);
  const last = journal.entries.at(-1);
  if (last === undefined) throw new Error('there is no migration');
  const next = { ...last, idx: journal.entries.length, tag: '9999_later', when: last.when + 1 };
  await writeFile(join(later, '9999_later.sql'), 'ALTER TABLE `facts` ADD `later` text;');
  await writeFile(
    join(later, 'meta/_journal.json'),
    JSON.stringify({ ...journal, entries: [...journal.entries, next] }),
  );
  return later;
}

/** The migrations as they were before one of them. */
async function migrationsBefore(folder: string, tag: string): Promise<string> {
  const former = join(folder, `before-${tag}`);
  await cp(MIGRATIONS, former, { recursive: true });
  const journal = await readJournal(former);
  const entries = journal.entries.filter((entry) => entry.tag < tag);
  await writeFile(join(former, 'meta/_journal.json'), JSON.stringify({ ...journal, entries }));
  return former;
}

/** Makes a database's record of migrations what an installation has that came by others. */
async function recordMigrations(path: string, ...atMs: number[]): Promise<void> {
  const client = createClient({ url: `file:${path}` });
  await client.execute('DELETE FROM __drizzle_migrations');
  for (const when of atMs)
    await client.execute({
      sql: 'INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)',
      args: [`former-${when}`, when],
    });
  client.close();
}

async function tables(client: Client): Promise<string[]> {
  const { rows } = await client.execute(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '\\_\\_%' ESCAPE '\\' AND name <> 'guard' ORDER BY name",
  );
  return z
    .array(z.object({ name: z.string() }))
    .parse(rows)
    .map(({ name }) => name);
}

/** One row in every table, by the declared types: nothing of it has to make sense. */
async function fill(client: Client): Promise<Table[]> {
  await client.execute('PRAGMA foreign_keys=OFF');
  for (const name of await tables(client)) {
    const { rows } = await client.execute(`PRAGMA table_info("${name}")`);
    const columns = z.array(Column).parse(rows);
    const values = columns.map(({ name: column, type }) =>
      /int|real/i.test(type) ? 1 : /blob/i.test(type) ? new Uint8Array([1]) : `"${column}"`,
    );
    await client.execute({
      sql: `INSERT OR REPLACE INTO "${name}" (${columns.map((column) => `"${column.name}"`).join(',')}) VALUES (${columns.map(() => '?').join(',')})`,
      args: values,
    });
  }
  return contents(client, await tables(client));
}

function contents(client: Client, names: readonly string[]): Promise<Table[]> {
  return Promise.all(
    names.map(async (name) => {
      const { rows } = await client.execute(`SELECT * FROM "${name}"`);
      return { name, rows: rows.map((row) => ({ ...row })) };
    }),
  );
}

describe('a database of another release', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'swy-upgrade-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function dataFolder(name: string) {
    const dataDir = join(folder, name);
    await mkdir(dataDir);
    const path = join(dataDir, DATABASE_FILE);
    (await openDatabase(path, MIGRATIONS)).close();
    const { entries } = await readJournal(MIGRATIONS);
    return { dataDir, path, newestMs: entries.at(-1)?.when ?? 0, firstMs: entries[0]?.when ?? 0 };
  }

  it('is copied, brought up to date and keeps its data', async () => {
    const { dataDir, path } = await dataFolder('former');
    const migrationsFolder = await laterMigrations(folder);
    const former = createClient({ url: `file:${path}` });
    const before = await fill(former);
    former.close();
    expect(before.length).toBeGreaterThan(10);

    const asked = { dataDir, migrationsFolder };
    const found = await backupBeforeMigrations({ ...asked, nowMs: 1_700_000_000_000 });
    (await openDatabase(path, migrationsFolder)).close();
    const now = createClient({ url: `file:${path}` });
    const after = await contents(
      now,
      before.map(({ name }) => name),
    );
    now.close();
    expect(after.find(({ name }) => name === 'facts')?.rows[0]).toHaveProperty('later');
    for (const [index, table] of before.entries()) {
      expect(after[index]?.rows, table.name).toContainEqual(expect.objectContaining(table.rows[0]));
    }
    const again = await backupBeforeMigrations({ ...asked, nowMs: 1_700_000_000_001 });
    expect(again).toMatchObject({ state: { is: 'current' }, copy: null });

    const copy = found?.copy ?? null;
    if (copy === null) throw new Error('no copy was taken before the change');
    await restoreBackup({ dataDir, file: copy.path, nowMs: 1_700_000_000_002 });
    const back = createClient({ url: `file:${path}` });
    const restored = await contents(back, await tables(back));
    back.close();
    expect(restored).toEqual(before);
  });

  it('keeps the folders of issues that had an attempt, and names no others', async () => {
    const path = join(folder, 'names.db');
    (await openDatabase(path, await migrationsBefore(folder, '0005'))).close();
    const former = createClient({ url: `file:${path}` });
    await fill(former);
    const named = { 'SY-1': 1, 'SY-2': 0, 'a/b': 1 };
    for (const [identifier, count] of Object.entries(named)) {
      await former.execute({
        sql: 'UPDATE issues SET identifier = ?, id = ?, attempt_count = ?',
        args: [identifier, identifier, count],
      });
      await former.execute(
        `CREATE TABLE IF NOT EXISTS kept_issues AS SELECT * FROM issues WHERE false`,
      );
      await former.execute('INSERT INTO kept_issues SELECT * FROM issues');
    }
    await former.execute('DELETE FROM issues');
    await former.execute('INSERT INTO issues SELECT * FROM kept_issues');
    await former.execute('DROP TABLE kept_issues');
    former.close();
    (await openDatabase(path, MIGRATIONS)).close();
    const now = createClient({ url: `file:${path}` });
    const { rows } = await now.execute('SELECT identifier, workspace_key FROM issues ORDER BY 1');
    now.close();
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { identifier: 'SY-1', workspace_key: 'SY-1' },
      { identifier: 'SY-2', workspace_key: null },
      { identifier: 'a/b', workspace_key: null },
    ]);
  });

  it('opens as it is where the same level was reached by other migrations', async () => {
    const { dataDir, path, newestMs } = await dataFolder('other-way');
    await recordMigrations(path, newestMs - 2, newestMs - 1, newestMs);
    expect(await backupBeforeMigrations({ dataDir, nowMs: 1 })).toMatchObject({ copy: null });
    (await openDatabase(path, MIGRATIONS)).close();
    const copy = await takeBackup({ dataDir, nowMs: 1_700_000_000_000, label: 'kept' });
    await restoreBackup({ dataDir, file: copy.path, nowMs: 1_700_000_000_001 });
    (await openDatabase(path, MIGRATIONS)).close();
  });

  it('made before the first migration is refused in one line, with what to do', async () => {
    const { dataDir, path, firstMs } = await dataFolder('older');
    await recordMigrations(path, firstMs - 2, firstMs - 1);
    const refused = /^[^\n]*is of a version before 0\.1\.0[^\n]*: move it away and start anew$/;
    await expect(backupBeforeMigrations({ dataDir, nowMs: 1 })).rejects.toThrow(refused);
    const copy = await takeBackup({ dataDir, nowMs: 1_700_000_000_000, label: 'kept' });
    const { dataDir: other } = await dataFolder('none-yet');
    const restore = restoreBackup({ dataDir: other, file: copy.path, nowMs: 1 });
    await expect(restore).rejects.toThrow(refused);
  });

  it('keeps the name of the newest version that has opened it', async () => {
    const { dataDir, path } = await dataFolder('shared');
    const { db, close } = await openDatabase(path, MIGRATIONS);
    const own = ownVersion();
    const opened = async () => (await migrationState(path)).openedBy;
    expect(await opened()).toBeNull();
    await recordVersion(db, 1, own);
    expect(await opened()).toBe(own.version);
    // Another instance of the same schema, then one that began before the first had migrated.
    await recordVersion(db, 2, { ...own, version: '0.1.0+01234567' });
    expect(await opened()).toBe('0.1.0+01234567');
    const older = { version: '0.0.9', schema: '0001_jobs', schemaAtMs: own.schemaAtMs - 1 };
    await recordVersion(db, 3, older);
    expect(await opened()).toBe('0.1.0+01234567');
    close();
    const found = await backupBeforeMigrations({ dataDir, nowMs: 1 });
    expect(found?.state).toMatchObject({ is: 'current', schema: own.schema });
  });

  it('of a newer release does not go by the name of one that could not have made it', async () => {
    const { dataDir, path, newestMs } = await dataFolder('unfinished');
    const { db, close } = await openDatabase(path, MIGRATIONS);
    await recordVersion(db, 1, { ...ownVersion(), version: '0.1.0+01234567' });
    close();
    // Brought up by a version that ended before it could leave its name.
    await recordMigrations(path, newestMs, newestMs + 1);
    const refused = backupBeforeMigrations({ dataDir, nowMs: 1 });
    await expect(refused).rejects.toThrow('a version that did not leave its name');
    await expect(refused).rejects.not.toThrow('01234567');
  });

  it('is copied once however often a start fails, and copies of other upgrades stay', async () => {
    const { dataDir, path, newestMs } = await dataFolder('loop');
    await recordMigrations(path, newestMs - 1);
    await mkdir(join(dataDir, 'backups'));
    const earlier = 'switchyard-before-0.0.9-2020-01-01T00-00-00-000Z.db';
    await writeFile(join(dataDir, 'backups', earlier), 'of an earlier upgrade');
    for (let nowMs = 1; nowMs < 4; nowMs += 1) await backupBeforeMigrations({ dataDir, nowMs });
    const copies = await readdir(join(dataDir, 'backups'));
    expect(copies).toHaveLength(2);
    expect(copies).toContain(earlier);
    // Another state is another copy.
    await recordMigrations(path, newestMs - 2);
    await backupBeforeMigrations({ dataDir, nowMs: 9 });
    expect(await readdir(join(dataDir, 'backups'))).toHaveLength(3);
  });

  it('has the room of a copy that was broken off before it is copied again', async () => {
    const dataDir = join(folder, 'broken-off');
    const backups = join(dataDir, 'backups');
    await mkdir(backups, { recursive: true });
    await writeFile(join(backups, 'switchyard-before-0.1.0-x.db.partial'), 'half of a copy');
    // What cannot be copied, as on a full disk.
    await writeFile(join(dataDir, DATABASE_FILE), 'no database');
    const copied = takeBoundedBackup({ dataDir, nowMs: 1 }, 'before-0.1.0');
    await expect(copied).rejects.toThrow('not a database');
    expect(await readdir(backups)).toEqual([]);
  });

  it('of a newer release is left alone, with what to do', async () => {
    const { dataDir, path, newestMs } = await dataFolder('newer');
    await recordMigrations(path, newestMs, newestMs + 1);
    await expect(backupBeforeMigrations({ dataDir, nowMs: 1 })).rejects.toThrow(/newer version/);
  });
});
