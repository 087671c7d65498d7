import type { Value } from '@libsql/client';
import { cellText } from '../../../control-plane/cli/data/cell-text.ts';
import type { DataEndpoint } from '../../../control-plane/cli/data/data-endpoint.ts';
import { encryptValue } from '../../../control-plane/src/config/secrets/encrypt-value.ts';
import type { MasterKeys } from '../../../control-plane/src/config/secrets/master-keys.ts';

const ROWS = 3;
const BLOB_BYTES = 700_000;

/** Puts rows into every table that has none, whatever its columns; one secret is a real one. */
export async function fillEveryTable(to: DataEndpoint, keys: MasterKeys): Promise<void> {
  const { rows } = await to.read(
    `select m.name as "table", c.name as "column", c.type as "type"
      from sqlite_master m, pragma_table_info(m.name) c
      where m.type = 'table' and m.name not like 'sqlite~_%' escape '~'
        and m.name not in ('__drizzle_migrations', 'secrets', 'audit_chain', 'leader')`,
  );
  for (const [table, columns] of Map.groupBy(rows, (row) => cellText(row, 'table'))) {
    const names = columns.map((row) => cellText(row, 'column'));
    const marks = names.map(() => '?').join(', ');
    const sql = `insert or ignore into "${table}" ("${names.join('", "')}") values (${marks})`;
    await to.write(
      Array.from({ length: ROWS }, (_, index) => ({
        sql,
        args: columns.map((row) =>
          valueOf(cellText(row, 'column'), cellText(row, 'type'), index + 1),
        ),
      })),
    );
  }
  const key = 'PROVIDER_KEY';
  const value = await encryptValue(await keys.current(), key, 'a value nobody sees');
  await to.write([
    {
      sql: 'insert into secrets values (?, ?, ?, ?, 1, 2, 3)',
      args: [key, value.masterKeyId, value.nonce, value.ciphertext],
    },
    `insert into facts values ('audience', '{"audience":"switchyard:here"}', 1)`,
    // A number that was given away and is free again must stay given away.
    'delete from transitions where entry = 3',
  ]);
}

function valueOf(column: string, type: string, row: number): Value {
  switch (type.toLowerCase()) {
    case 'integer':
      return BigInt(column.endsWith('_ms') ? 1_763_000_000_000 + row : row);
    case 'real':
      return row + 0.1;
    case 'blob':
      return new Uint8Array(BLOB_BYTES).fill(row).buffer;
    default:
      return /^(tokens|value|payload|spec)$/.test(column)
        ? JSON.stringify({ row, input: row, total: 2 * row, text: 'ä\u0000"🚂' })
        : `${column} ${row} ä🚂`;
  }
}
