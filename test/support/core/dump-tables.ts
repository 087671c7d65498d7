import { sql } from 'drizzle-orm';
import type { Database } from '../../../control-plane/src/db/database.ts';

export type TableDump = Record<string, unknown[]>;

/** Every row of every table, to be compared with another dump. */
export async function dumpTables(db: Database): Promise<TableDump> {
  const tables = await db.all<{ name: string }>(
    sql`select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name`,
  );
  const dump: TableDump = {};
  for (const { name } of tables) {
    dump[name] = await db.all(sql`select * from ${sql.identifier(name)} order by rowid`);
  }
  return dump;
}
