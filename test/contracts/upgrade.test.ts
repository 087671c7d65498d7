import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@libsql/client';
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backupBeforeMigrations } from '../../control-plane/src/platform/node/backup/backup-before-migrations.ts';
import { restoreBackup } from '../../control-plane/src/platform/node/backup/restore-backup.ts';
import { DATABASE_FILE } from '../../control-plane/src/platform/node/backup/take-backup.ts';
import { openDatabase } from '../../control-plane/src/platform/node/database/open-database.ts';
import { MIGRATIONS } from '../support/core/migrations.ts';

const Journal = z.looseObject({ entries: z.array(z.looseObject({ tag: z.string() })) });
const Column = z.object({ name: z.string(), type: z.string() });
type Table = { name: string; rows: Record<string, unknown>[] };

/** The first migrations, as a former release had them. */
async function formerMigrations(folder: string, count: number): Promise<string> {
  const former = join(folder, `migrations-${count}`);
  await cp(MIGRATIONS, former, { recursive: true });
  const path = join(former, 'meta/_journal.json');
  const journal = Journal.parse(JSON.parse(await readFile(path, 'utf8')));
  await writeFile(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, count) }));
  return former;
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
      sql: `INSERT INTO "${name}" (${columns.map((column) => `"${column.name}"`).join(',')}) VALUES (${columns.map(() => '?').join(',')})`,
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

describe('a database of a former release', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'swy-upgrade-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([2, 3, 4])('with %i migrations opens and keeps its data', async (count) => {
    const dataDir = join(folder, `data-${count}`);
    await mkdir(dataDir);
    const path = join(dataDir, DATABASE_FILE);
    (await openDatabase(path, await formerMigrations(folder, count))).close();
    const former = createClient({ url: `file:${path}` });
    const before = await fill(former);
    former.close();
    expect(before.length).toBeGreaterThan(10);

    const copy = await backupBeforeMigrations({ dataDir, nowMs: 1_700_000_000_000 });
    (await openDatabase(path, MIGRATIONS)).close();
    const now = createClient({ url: `file:${path}` });
    const after = await contents(
      now,
      before.map(({ name }) => name),
    );
    now.close();
    for (const [index, table] of before.entries()) {
      expect(after[index]?.rows, table.name).toContainEqual(expect.objectContaining(table.rows[0]));
    }
    expect(await backupBeforeMigrations({ dataDir, nowMs: 1_700_000_000_001 })).toBeNull();

    if (copy === null) throw new Error('no copy was taken before the change');
    await restoreBackup({ dataDir, file: copy.path, nowMs: 1_700_000_000_002 });
    const back = createClient({ url: `file:${path}` });
    const restored = await contents(back, await tables(back));
    back.close();
    expect(restored).toEqual(before);
  });

  it('of a newer release is left alone, with what to do', async () => {
    const dataDir = join(folder, 'newer');
    await mkdir(dataDir);
    const path = join(dataDir, DATABASE_FILE);
    (await openDatabase(path, MIGRATIONS)).close();
    const client = createClient({ url: `file:${path}` });
    await client.execute(
      "INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('later', 9000000000000)",
    );
    client.close();
    await expect(backupBeforeMigrations({ dataDir, nowMs: 1 })).rejects.toThrow(/newer version/);
  });
});
