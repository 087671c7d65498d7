import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createClient } from '@libsql/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DataEndpoint } from '../../control-plane/cli/data/data-endpoint.ts';
import { migrateEdge } from '../../control-plane/cli/deploy/deploy-edge.ts';
import { decryptValue } from '../../control-plane/src/config/secrets/encrypt-value.ts';
import { importMasterKey } from '../../control-plane/src/config/secrets/master-key.ts';
import { secretByKey } from '../../control-plane/src/config/secrets/queries.ts';
import { verifyChain } from '../../control-plane/src/observe/audit/chain/verify-chain.ts';
import { backupBeforeMigrations } from '../../control-plane/src/platform/node/backup/backup-before-migrations.ts';
import { openDatabase } from '../../control-plane/src/platform/node/database/open-database.ts';
import { openServerDatabase } from '../../control-plane/src/platform/node/database/open-server-database.ts';
import { startControlPlane } from '../../control-plane/src/platform/node/start-control-plane.ts';
import { MIGRATIONS } from '../support/core/migrations.ts';
import { sqldPart } from '../support/sqld/sqld-part.ts';
import { startSqld } from '../support/sqld/start-sqld.ts';
import {
  FIXTURE_MASTER_KEY,
  FIXTURE_SECRET,
  FIXTURE_TOKEN,
} from '../support/upgrades/fixture-facts.ts';
import {
  FIXTURES,
  fixtureText,
  type Rows,
  rowsOf,
  rowsOfFile,
  writeFixture,
} from '../support/upgrades/open-fixture.ts';

const TIMEOUT_MS = 120_000;
/** The schema of the first version whose databases are kept here. */
const FIRST = '0003_pauses';
const Journal = z.object({ entries: z.array(z.object({ tag: z.string() })) });
/** Soon after the fixtures' last rows, so that nothing in them is old enough to be deleted. */
const CLOCK = {
  nowMs: () => Date.parse('2026-01-02T04:10:00.000Z') + performance.now(),
  monotonicMs: () => performance.now(),
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swy-fixtures-'));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

/** All rows of before are there with all their values; columns that came later aside. */
function expectKept(before: Rows, after: Rows): void {
  for (const [table, rows] of Object.entries(before)) {
    expect(rows.length, `${table} of the fixture`).toBeGreaterThan(0);
    // Triggers count what is written.
    if (table === 'counters') continue;
    for (const row of rows)
      expect(after[table], table).toContainEqual(expect.objectContaining(row));
  }
}

it('has a database of every schema since the first that is kept, the newest included', () => {
  const { entries } = Journal.parse(
    JSON.parse(readFileSync(join(MIGRATIONS, 'meta/_journal.json'), 'utf8')),
  );
  const schemas = entries.map(({ tag }) => tag).filter((tag) => tag >= FIRST);
  const remedy =
    'after a new migration: run `npm run db:fixture` and commit the file that it writes; the file of a ' +
    'migration that no longer exists goes';
  expect(FIXTURES, remedy).toEqual(schemas);
});

describe.each(FIXTURES)('a database of schema %s', (schema) => {
  it('is migrated with every row in it, and is then left alone', async () => {
    const dataDir = join(folder, `rows-${schema}`);
    const path = await writeFixture(schema, dataDir);
    const before = await rowsOfFile(path);
    const newest = FIXTURES.at(-1);
    const former = await backupBeforeMigrations({ dataDir, nowMs: 1_800_000_000_000 });
    expect(former?.state.schema).toBe(schema);
    expect(former?.copy === null).toBe(schema === newest);
    (await openDatabase(path, MIGRATIONS)).close();
    const after = await rowsOfFile(path);
    expectKept(before, after);
    const database = new DatabaseSync(path);
    expect(database.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
    database.close();
    const again = await backupBeforeMigrations({ dataDir, nowMs: 1_800_000_000_001 });
    expect(again?.copy).toBeNull();
    (await openDatabase(path, MIGRATIONS)).close();
    expect(await rowsOfFile(path)).toEqual(after);
  });

  it(
    'is served with what stood in it',
    async () => {
      const dataDir = join(folder, `served-${schema}`);
      await writeFixture(schema, dataDir);
      const lines: string[] = [];
      const log = (message: string) => void lines.push(message);
      const start = () =>
        startControlPlane({
          host: '127.0.0.1',
          port: 0,
          dataDir,
          baseFile: null,
          env: { SERVICE_MASTER_KEY: FIXTURE_MASTER_KEY, SERVICE_WRITE_TOKEN: 'write-secret' },
          clock: CLOCK,
          logger: { debug: log, info: log, warn: log, error: log },
        });
      const service = await start();
      const get = async (route: string, token = FIXTURE_TOKEN): Promise<never> => {
        const headers = { authorization: `Bearer ${token}` };
        const response = await fetch(`${service.url}/api/v1${route}`, { headers });
        expect(response.status, route).toBe(200);
        return (await response.json()) as never;
      };
      try {
        expect(await get('/SY-1')).toMatchObject({ title: 'Update', status: 'completed' });
        const events = await get('/SY-1');
        expect(JSON.stringify(events)).toContain('a line of the log');
        expect(await get('/SY-1/attempts')).toMatchObject({
          attempts: [{ number: 1, outcome: 'completed', tokens: { total: 1_500 } }],
        });
        expect(await get('/SY-3/attempts')).toMatchObject({
          attempts: expect.arrayContaining([
            expect.objectContaining({ number: 1, failureKind: 'agent_error' }),
          ]),
        });
        expect(await get('/local/pull-requests')).toMatchObject({
          pullRequests: [{ branch: 'switchyard/SY-1', status: 'open' }],
        });
        expect(await get('/runners')).toMatchObject({ runners: [{ name: 'bench' }] });
        const templates = JSON.stringify(await get('/templates'));
        expect(templates).toContain('Work on {{ issue.title }}.');
        expect(await get('/config/overlay')).toEqual({ agent: { maxTurns: 7 } });
        expect(await get('/automations/runs')).toMatchObject({ runs: [{ identifier: 'SY-1' }] });
        expect(await get('/alerts/history')).toMatchObject({ history: [{ kind: 'trigger' }, {}] });
        expect(await get('/local/issues/SY-4/comments')).toMatchObject({
          comments: [{ body: 'Please soon.' }],
        });
        expect(await get('/tokens', 'write-secret')).toMatchObject({
          tokens: [{ name: 'fixture' }],
        });
        const stored = await secretByKey(service.deps.db, 'FIXTURE_KEY');
        if (stored === null) throw new Error('the secret is gone');
        const key = await importMasterKey(Buffer.from(FIXTURE_MASTER_KEY, 'base64'));
        expect(await decryptValue(key, 'FIXTURE_KEY', stored)).toBe(FIXTURE_SECRET);
        expect((await verifyChain(service.deps.db)).ok).toBe(true);
      } finally {
        await service.stop();
      }
      const copies = await readdir(join(dataDir, 'backups')).catch(() => []);
      expect(copies).toHaveLength(schema === FIXTURES.at(-1) ? 0 : 1);
      lines.length = 0;
      await (await start()).stop();
      expect(lines.filter((line) => /brought|last opened|copied/.test(line))).toEqual([]);
      expect(await readdir(join(dataDir, 'backups')).catch(() => [])).toEqual(copies);
    },
    TIMEOUT_MS,
  );

  it.skipIf(!sqldPart().available)(
    'is migrated on a libSQL server, by a start and by a deployment',
    async () => {
      const ways = [
        (url: string, token: string) =>
          openServerDatabase({ url, authToken: token }, MIGRATIONS).then(({ close }) => close()),
        (url: string, token: string) =>
          migrateEdge({ SERVICE_DATABASE_URL: url, SERVICE_DATABASE_TOKEN: token }, () => {}),
      ];
      for (const bringUp of ways) {
        const sqld = await startSqld();
        const endpoint = new DataEndpoint(sqld.url, sqld.token);
        const client = createClient({ url: sqld.url, authToken: sqld.token });
        const ask = async (sql: string) => (await client.execute(sql)).rows;
        try {
          await client.executeMultiple(`BEGIN;\n${fixtureText(schema)}\nCOMMIT;`);
          const before = await rowsOf(ask);
          await bringUp(sqld.url, sqld.token);
          const after = await rowsOf(ask);
          expectKept(before, after);
          expect((await verifyChain(endpoint.db)).ok).toBe(true);
          await bringUp(sqld.url, sqld.token);
          expect(await rowsOf(ask)).toEqual(after);
        } finally {
          client.close();
          endpoint.close();
          await sqld.stop();
        }
      }
    },
    TIMEOUT_MS,
  );
});
