import { mkdtemp, rm } from 'node:fs/promises';
import { cellText } from '../../control-plane/cli/data/cell-text.ts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordVersion } from '../../control-plane/src/db/record-version.ts';
import { verifyChain } from '../../control-plane/src/observe/audit/chain/verify-chain.ts';
import { sealEntries } from '../../control-plane/src/observe/audit/chain/seal-entries.ts';
import { DataEndpoint } from '../../control-plane/cli/data/data-endpoint.ts';
import { givenMasterKeys } from '../../control-plane/cli/data/given-master-keys.ts';
import { listTables } from '../../control-plane/cli/data/list-tables.ts';
import { migrateEndpoint } from '../../control-plane/cli/data/migrate-endpoint.ts';
import { type Transfer, transferData } from '../../control-plane/cli/data/transfer-data.ts';
import { ownVersion } from '../../control-plane/src/platform/node/backup/migration-state.ts';
import { openDatabase } from '../../control-plane/src/platform/node/database/open-database.ts';
import { decryptValue } from '../../control-plane/src/config/secrets/encrypt-value.ts';
import { makeMasterKeyText } from '../../control-plane/src/config/secrets/master-key.ts';
import { secretByKey } from '../../control-plane/src/config/secrets/queries.ts';
import { MIGRATIONS } from '../support/core/migrations.ts';
import { fillEveryTable } from '../support/sqld/fill-every-table.ts';
import { sqldPart } from '../support/sqld/sqld-part.ts';
import { type Sqld, startSqld } from '../support/sqld/start-sqld.ts';

const HERE = makeMasterKeyText();
const THERE = makeMasterKeyText();
const TIMEOUT_MS = 120_000;

let folder: string;
let opened: DataEndpoint[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swy-move-'));
  opened = [];
});
afterEach(async () => {
  for (const endpoint of opened) endpoint.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

function endpoint(url: string, token?: string): DataEndpoint {
  const made = new DataEndpoint(url, token);
  opened.push(made);
  return made;
}

/** A migrated file with rows in every table. */
async function filledFile(name: string): Promise<DataEndpoint> {
  const path = join(folder, name);
  (await openDatabase(path, MIGRATIONS)).close();
  const made = endpoint(`file:${path}`);
  await fillEveryTable(made, await givenMasterKeys(HERE, 'test'));
  await sealEntries({ db: made.db });
  return made;
}

async function move(
  from: DataEndpoint,
  to: DataEndpoint,
  keys: readonly [string, string] = [HERE, THERE],
  onCopied: (table: string) => void = () => {},
): Promise<Transfer> {
  return transferData({
    from,
    to,
    migrationsFolder: MIGRATIONS,
    nowMs: Date.now(),
    fromKeys: await givenMasterKeys(keys[0], 'from'),
    toKeys: await givenMasterKeys(keys[1], 'to'),
    progress: (step, table) => {
      if (step === 'copying') onCopied(table);
    },
    say: () => {},
  });
}

/** Every row of every table in the schema, secrets' encryption aside. */
async function contents(side: DataEndpoint): Promise<Record<string, unknown[]>> {
  const { rows: names } = await side.read(
    `select name from sqlite_master where type = 'table' and name not like 'sqlite~_%' escape '~'
      and name not like '~_~_%' escape '~' and name not like 'libsql%'`,
  );
  const all: Record<string, unknown[]> = {};
  for (const named of names) {
    const name = cellText(named, 'name');
    const { rows, columns } = await side.read(`select rowid as "#", * from "${name}"`);
    const shown = columns.filter((one) => !/^(nonce|ciphertext|master_key_id)$/.test(one));
    all[name] = rows.map((row) => shown.map((column) => row[column]));
  }
  return all;
}

describe.each([
  ['a file', () => Promise.resolve(null)],
  ['a libSQL server', startSqld],
] as const)('data moved to %s', (what, start) => {
  const missing = what === 'a file' ? false : !sqldPart().available;
  let server: Sqld | null = null;
  beforeEach(async () => {
    server = missing ? null : await start();
  });
  afterEach(() => server?.stop());
  const target = () =>
    server === null
      ? endpoint(`file:${join(folder, 'target.db')}`)
      : endpoint(server.url, server.token);

  it.skipIf(missing)(
    'has every row of every table, there and back again',
    async () => {
      const from = await filledFile('source.db');
      const before = await contents(from);
      const to = target();
      const transfer = await move(from, to);
      const { leader: _leader, ...copied } = before;
      expect(Object.values(copied).filter((rows) => rows.length === 0)).toEqual([]);
      expect(await contents(to)).toEqual({ ...copied, leader: [] });
      expect(await contents(from)).toEqual(before);
      expect(transfer.tables.map(({ name }) => name).sort()).toEqual(Object.keys(copied).sort());
      expect((await verifyChain(to.db)).ok).toBe(true);
      await expect(to.write(['delete from audit'])).rejects.toThrow('cannot be deleted');
      const stored = await secretByKey(to.db, 'PROVIDER_KEY');
      if (stored === null) throw new Error('the secret is gone');
      const there = await (await givenMasterKeys(THERE, 'test')).current();
      expect(stored.masterKeyId).toBe(there.id);
      expect(await decryptValue(there, 'PROVIDER_KEY', stored)).toBe('a value nobody sees');

      const back = endpoint(`file:${join(folder, 'back.db')}`);
      const returned = await move(to, back, [THERE, HERE]);
      expect(returned.tables).toEqual(transfer.tables);
      expect(await contents(back)).toEqual({ ...copied, leader: [] });
    },
    TIMEOUT_MS,
  );

  it.skipIf(missing)(
    'goes on after an interruption, and refuses what has rows of its own',
    async () => {
      const from = await filledFile('source.db');
      const to = target();
      const interrupted = move(from, to, [HERE, THERE], (table) => {
        if (table === 'issues') throw new Error('the line was cut');
      });
      await expect(interrupted).rejects.toThrow('the line was cut');
      const other = await filledFile('other.db');
      await other.write([`update facts set value = '{}' where name = 'audience'`]);
      await expect(move(other, to)).rejects.toThrow('part of another transfer');
      expect(await move(from, to)).toMatchObject({ resumed: true });
      await expect(move(from, to)).rejects.toThrow(/data of its own \(.*issues 3/);
      const { leader: _leader, ...copied } = await contents(from);
      expect(await contents(to)).toEqual({ ...copied, leader: [] });
    },
    TIMEOUT_MS,
  );
});

it('says which table differs when something writes in between', async () => {
  const from = await filledFile('source.db');
  const to = endpoint(`file:${join(folder, 'target.db')}`);
  let changed: Promise<unknown> = Promise.resolve();
  const moved = move(from, to, [HERE, THERE], (table) => {
    if (table !== 'usage_totals') return;
    changed = from.write([`update issues set title = 'changed meanwhile'`]);
  });
  await expect(moved).rejects.toThrow('issues is not the same on both sides (3 and 3 rows)');
  await changed;
});

it('cannot forget a table: all but two of the schema are copied', async () => {
  const from = await filledFile('source.db');
  const { rows } = await from.read(`select name from sqlite_master where type = 'table'`);
  const present = rows
    .map((row) => cellText(row, 'name'))
    .filter((name) => !name.startsWith('sqlite_'));
  const tables = await listTables(from);
  const copied = new Set(tables.map(({ name }) => name));
  expect(present.filter((name) => !copied.has(name)).sort()).toEqual([
    '__drizzle_migrations',
    'leader',
  ]);
  const last = tables.filter(({ byTriggers }) => byTriggers).map(({ name }) => name);
  expect(last.sort()).toEqual(['counters', 'usage_totals']);
});

it('of the same level is moved, whichever migrations led there and however columns stand', async () => {
  const from = await filledFile('source.db');
  await from.write([
    'alter table issues rename column reason to reason_before',
    'alter table issues add column reason text',
    'update issues set reason = reason_before',
    'alter table issues drop column reason_before',
    `insert into __drizzle_migrations (hash, created_at)
       select 'former', min(created_at) - 1 from __drizzle_migrations`,
  ]);
  const to = endpoint(`file:${join(folder, 'target.db')}`);
  await move(from, to);
  const codes = 'select id, title, reason from issues order by id';
  expect((await to.read(codes)).rows).toEqual((await from.read(codes)).rows);
});

it('goes into a database that a deployment has brought to this version', async () => {
  const from = await filledFile('source.db');
  await recordVersion(from.db, 1, { ...ownVersion(), version: '0.1.0+01234567' });
  const to = endpoint(`file:${join(folder, 'deployed.db')}`);
  await migrateEndpoint(to, MIGRATIONS);
  await recordVersion(to.db, 1, ownVersion());
  await move(from, to);
  const { leader: _leader, ...copied } = await contents(from);
  expect(await contents(to)).toEqual({ ...copied, leader: [] });
});

it('of an older level is refused in one line, also as the target', async () => {
  const from = await filledFile('source.db');
  const older = await filledFile('older.db');
  await older.write([
    'update __drizzle_migrations set created_at = (select min(created_at) from __drizzle_migrations) - 1',
  ]);
  await expect(move(older, from)).rejects.toThrow(/older\.db is of a version before 0\.1\.0/);
  await expect(move(from, older)).rejects.toThrow(/older\.db is of a version before 0\.1\.0/);
});
