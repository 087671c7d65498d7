import { groupBy } from '@switchyard/shared/group-by';
import type { DataEndpoint } from './data-endpoint.ts';
import { cellText, valueText } from './cell-text.ts';

export type CopiedTable = {
  name: string;
  columns: readonly string[];
  /** The primary key is the row number itself; otherwise the row number is copied too. */
  keyIsRowid: boolean;
  /**
   * Triggers of other tables write this table, so its rows are copied last and replace existing
   * ones.
   */
  byTriggers: boolean;
};

/** Leadership is not data, and migrating writes the record of migrations itself. */
const NOT_COPIED = new Set(['leader', '__drizzle_migrations']);

/**
 * Every table of a migrated database that holds data, read from the database so that a new table
 * cannot be forgotten; tables that triggers write come last.
 */
export async function listTables(endpoint: DataEndpoint): Promise<CopiedTable[]> {
  const { rows } = await endpoint.read(
    `select m.name as "table", c.name as "column", c.type as "type", c.pk as "pk"
      from sqlite_master m, pragma_table_info(m.name) c
      where m.type = 'table' and m.name not like 'sqlite\\_%' escape '\\'
        and m.name not like 'libsql\\_%' escape '\\' and m.name not like '\\_litestream%' escape '\\'
      order by m.name, c.cid`,
  );
  const triggers = await endpoint.read(`select sql from sqlite_master where type = 'trigger'`);
  const written = new Set(triggers.rows.flatMap((row) => tablesWritten(cellText(row, 'sql'))));
  const byTable = groupBy(rows, (row) => cellText(row, 'table'));
  const tables = [...byTable]
    .filter(([name]) => !NOT_COPIED.has(name))
    .map(([name, columns]) => {
      const keys = columns.filter((column) => Number(column['pk']) > 0);
      const keyIsRowid = keys.length === 1 && /^integer$/i.test(valueText(keys[0]?.['type']));
      const byTriggers = written.has(name);
      return {
        name,
        columns: columns.map((one) => cellText(one, 'column')),
        keyIsRowid,
        byTriggers,
      };
    });
  return tables.sort((a, b) => Number(a.byTriggers) - Number(b.byTriggers));
}

/**
 * Names of the tables that a trigger's body writes by `insert into`, `update` and `delete from`.
 */
function tablesWritten(trigger: string): string[] {
  const body = trigger.slice(trigger.search(/\bbegin\b/i));
  const pattern = /\b(?:insert\s+(?:or\s+\w+\s+)?into|update|delete\s+from)\s+[`"[]?(\w+)/gi;
  return [...body.matchAll(pattern)].map((match) => match[1] ?? '');
}

/** An identifier of the schema, quoted for a statement. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
