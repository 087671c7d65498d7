import { commandText } from '@switchyard/shared/text/command-text';
import { cellText } from './cell-text.ts';
import { type ChainVerification, verifyChain } from '../../src/observe/audit/chain/verify-chain.ts';
import type { MasterKeys } from '../../src/config/secrets/master-keys.ts';
import { copyTable } from './copy-table.ts';
import type { DataEndpoint } from './data-endpoint.ts';
import { digestTable } from './digest-table.ts';
import { holdTarget, releaseTarget } from './hold-target.ts';
import { type CopiedTable, listTables } from './list-tables.ts';
import { newestMigrationAtMs } from '../../src/platform/node/backup/migration-state.ts';
import { migrateEndpoint, requireKnownEndpoint } from './migrate-endpoint.ts';
import { comparableWith, reencryptWith } from './reencrypt-with.ts';

export type TransferInput = {
  from: DataEndpoint;
  to: DataEndpoint;
  fromKeys: MasterKeys;
  toKeys: MasterKeys;
  migrationsFolder: string;
  nowMs: number;
  /** Reports the progress to people, in rows of the table. */
  progress: (step: 'copying' | 'checking', table: string, done: number, total: number) => void;
  say: (line: string) => void;
};

export type Transfer = {
  tables: { name: string; rows: number; sha256: string }[];
  /** True: this completed an earlier, interrupted transfer. */
  resumed: boolean;
  audit: Pick<ChainVerification, 'verified' | 'unsealed'>;
};

/**
 * Copies every row of a database into an empty one, encrypts secrets with the target's master key,
 * and compares counts and checksums of each table. Never changes the source. Throws, with what to
 * do, when the target is not empty, the versions differ or the result does not match.
 */
export async function transferData(input: TransferInput): Promise<Transfer> {
  const { from, to } = input;
  await requireKnownEndpoint(from, input.migrationsFolder);
  await migrateEndpoint(to, input.migrationsFolder);
  await requireSameVersion(from, to);
  const tables = await listTables(from);
  const transferId = `transfer of ${await originOf(from)}`;
  const resumed = await holdTarget(to, tables, { transferId, nowMs: input.nowMs });
  if (resumed) input.say('going on with a transfer that was interrupted');
  const totals = await rowCounts(from, tables);
  const translate = reencryptWith(input.fromKeys, input.toKeys);
  for (const table of tables) {
    let done = 0;
    const copied = (_table: CopiedTable, rows: number) => {
      done += rows;
      input.progress('copying', table.name, done, totals.get(table.name) ?? 0);
    };
    await copyTable({ from, to, translate, copied }, table);
  }
  await copySequences(from, to, tables);
  const compared = await compareTables(input, tables, totals);
  const audit = await verifyChain(to.db);
  if (!audit.ok) {
    throw new Error(
      `the copied audit record does not hold from entry ${audit.firstBroken?.entry} on (${audit.firstBroken?.problem}); see what the source says of its own record`,
    );
  }
  await releaseTarget(to, transferId);
  const { verified, unsealed } = audit;
  return { tables: compared, resumed, audit: { verified, unsealed } };
}

async function requireSameVersion(from: DataEndpoint, to: DataEndpoint): Promise<void> {
  const source = await newestMigrationAtMs((sql) => from.read(sql));
  if (source === (await newestMigrationAtMs((sql) => to.read(sql)))) return;
  if (source === 0) throw new Error(`${from.name} is no database of Switchyard`);
  throw new Error(
    `${from.name} and ${to.name} have not had the same migrations: bring both to this version first (${commandText('upgrade', process.env)}; ${commandText('deploy', process.env)})`,
  );
}

/** Id of the installation that the rows come from. */
async function originOf(from: DataEndpoint): Promise<string> {
  const { rows } = await from.read(`select value from facts where name = 'audience'`);
  const value = rows[0]?.['value'];
  return typeof value === 'string' ? value : 'an installation that never ran';
}

async function rowCounts(
  endpoint: DataEndpoint,
  tables: readonly CopiedTable[],
): Promise<Map<string, number>> {
  const counts = tables.map(({ name }) => `select '${name}', count(*) from "${name}"`);
  const { rows } = await endpoint.read(counts.join(' union all '));
  return new Map(rows.map((row) => [cellText(row, 0), Number(row[1])]));
}

/**
 * SQLite's row counters, by which the audit detects that its end was cut off, so they are copied
 * too.
 */
async function copySequences(
  from: DataEndpoint,
  to: DataEndpoint,
  tables: readonly CopiedTable[],
): Promise<void> {
  const { rows } = await from.read('select name, seq from sqlite_sequence');
  const statements = tables.flatMap(({ name }) => {
    const seq = rows.find((row) => row['name'] === name)?.['seq'];
    if (seq === undefined || seq === null) return [];
    return [
      { sql: 'delete from sqlite_sequence where name = ?', args: [name] },
      { sql: 'insert into sqlite_sequence (name, seq) values (?, ?)', args: [name, seq] },
    ];
  });
  if (statements.length > 0) await to.write(statements);
}

async function compareTables(
  input: TransferInput,
  tables: readonly CopiedTable[],
  totals: ReadonlyMap<string, number>,
): Promise<Transfer['tables']> {
  const [read, written] = [comparableWith(input.fromKeys), comparableWith(input.toKeys)];
  const compared: Transfer['tables'] = [];
  for (const table of tables) {
    let done = 0;
    const seen = (rows: number) => {
      done += rows;
      input.progress('checking', table.name, done, totals.get(table.name) ?? 0);
    };
    const [source, target] = await Promise.all([
      digestTable(
        input.from,
        table,
        (row) => read(table, row),
        () => {},
      ),
      digestTable(input.to, table, (row) => written(table, row), seen),
    ]);
    if (source.rows !== target.rows || source.sha256 !== target.sha256) {
      throw new Error(
        `${table.name} is not the same on both sides (${source.rows} and ${target.rows} rows): something changed it meanwhile; empty the target and start again`,
      );
    }
    compared.push({ name: table.name, ...target });
  }
  return compared;
}
