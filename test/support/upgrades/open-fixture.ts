import { globSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DATABASE_FILE } from '../../../control-plane/src/platform/node/backup/take-backup.ts';

/** Schemas of which a database is kept, oldest first, by the names of their newest migrations. */
export const FIXTURES: readonly string[] = globSync('*.sql', { cwd: import.meta.dirname })
  .map((file) => basename(file, '.sql'))
  .toSorted();

/** The statements that make a database of such a schema with its rows. */
export function fixtureText(schema: string): string {
  return readFileSync(join(import.meta.dirname, `${schema}.sql`), 'utf8');
}

/** Runs statements on a file and lets go of it, which the product's own driver does not do at once. */
export function runOnFile(path: string, statements: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec(statements);
  } finally {
    database.close();
  }
}

/** A data folder as an installation of that schema left it. Answers the path of its database. */
export async function writeFixture(schema: string, dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, DATABASE_FILE);
  runOnFile(path, `PRAGMA journal_mode=WAL;\nBEGIN;\n${fixtureText(schema)}\nCOMMIT;`);
  return path;
}

export type Rows = Record<string, Record<string, unknown>[]>;

/** Every row of every table, by the tables' names; SQLite's own and the migrations' record aside. */
export async function rowsOf(
  ask: (sql: string) => Promise<readonly Record<string, unknown>[]>,
): Promise<Rows> {
  const tables = await ask(
    `select name from sqlite_master where type = 'table' and name not like 'sqlite~_%' escape '~'
      and name not like '~_~_%' escape '~' and name not like 'libsql~_%' escape '~' order by name`,
  );
  const found: Rows = {};
  for (const { name } of tables) {
    const rows = await ask(`select * from "${String(name)}"`);
    found[String(name)] = rows.map((row) => ({ ...row }));
  }
  return found;
}

export function rowsOfFile(path: string): Promise<Rows> {
  const database = new DatabaseSync(path, { readOnly: true });
  return rowsOf(async (sql) => database.prepare(sql).all()).finally(() => database.close());
}
