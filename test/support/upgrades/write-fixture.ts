// Run as `npm run db:fixture` in a checkout: writes what a database of its
// schema looks like, with rows in every table, to `<newest migration>.sql` beside this file. For an
// earlier schema, copy this folder into a checkout of a commit that has it and run this file there.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import journal from '../../../migrations/meta/_journal.json' with { type: 'json' };
import type { Database } from '../../../control-plane/src/db/database.ts';
import { sealEntries } from '../../../control-plane/src/observe/audit/chain/seal-entries.ts';
import { type CoreWorld, createCoreWorld } from '../core/core-world.ts';
import { openFramePeer } from '../core/runner-peers.ts';
import {
  DELIVERY,
  type Lease,
  note,
  type ScriptedRunner,
  scriptRunner,
} from '../core/scripted-runner.ts';
import { FIXTURE_SECRET, FIXTURE_TOKEN } from './fixture-facts.ts';
import { ROWS_BY_HAND } from './rows-by-hand.ts';

const MINUTE_MS = 60_000;
/** The test clock begins at 03:04:05 UTC. */
const UNTIL_NIGHTLY_MS = 56 * MINUTE_MS;
const TOKENS = { input: 1_200, cachedInput: 200, output: 300, reasoning: 40, total: 1_500 };
const SETTINGS = {
  SERVICE_CONFIG__automations: JSON.stringify([
    { name: 'nightly', schedule: '0 4 * * *', mode: 'implement', title: 'Update', prompt: 'All.' },
  ]),
  SERVICE_CONFIG__alerts__rules: JSON.stringify([
    {
      name: 'failures',
      condition: { event: 'attempt.ended', outcome: 'failed' },

      threshold: 1,
      windowMs: 60 * MINUTE_MS,
      cooldownMs: 60 * MINUTE_MS,
      severity: 'critical',
    },
  ]),
};

async function ask(world: CoreWorld, method: string, path: string, body: unknown): Promise<void> {
  const response = await world.core.app.request(
    `http://127.0.0.1:4000${path}`,
    {
      method,
      headers: { Host: '127.0.0.1:4000', 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    },
    { remoteAddress: '127.0.0.1' },
  );
  if (!response.ok)
    throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
}

async function addRunner(world: CoreWorld, slots: number): Promise<ScriptedRunner> {
  const runner = scriptRunner(world, await world.join(), slots);
  await runner.hello();
  return runner;
}

/** Events that have to be taken: what was refused would be missing from the rows. */
async function tell(
  runner: ScriptedRunner,
  lease: Lease,
  ...events: { kind: string; payload: Record<string, unknown> }[]
): Promise<void> {
  const reply = await runner.events(lease, ...events);
  if (reply.type !== 'ack') throw new Error(JSON.stringify(reply));
}

async function finish(
  runner: ScriptedRunner,
  lease: Lease,
  changes: Parameters<ScriptedRunner['finish']>[1],
): Promise<void> {
  const reply = await runner.finish(lease, changes);
  if (reply.type !== 'finished') throw new Error(JSON.stringify(reply));
}

/** What people and runners do in an installation, as far as the code's own writers store it. */
async function live(world: CoreWorld): Promise<void> {
  await ask(world, 'POST', '/api/v1/secrets/FIXTURE_KEY', { value: FIXTURE_SECRET });
  await ask(world, 'POST', '/api/v1/tokens', { name: 'fixture', scope: 'operate' });
  await ask(world, 'POST', '/api/v1/templates', {
    name: 'Short',
    body: 'Work on {{ issue.title }}.',
  });
  await ask(world, 'PUT', '/api/v1/config/overlay', { agent: { maxTurns: 7 } });
  await world.tick();
  await world.pass(UNTIL_NIGHTLY_MS);
  const runner = await addRunner(world, 3);
  await world.tick();
  const done = await runner.accept(runner.offer());
  await tell(
    runner,
    done,
    {
      kind: 'thread',
      payload: { threadId: 'thread-1', resumed: false, engineVersion: 'engine/1.2.3' },
    },
    {
      kind: 'workspace',
      payload: {
        key: 'SY-1',
        path: '/srv/work/SY-1',
        branch: DELIVERY.branch,
        baseBranch: 'main',
        baseCommit: DELIVERY.baseCommit,
        created: true,
        durationMs: 20,
      },
    },
    { kind: 'usage', payload: { totals: TOKENS, own: TOKENS } },
    {
      kind: 'checkpoint',
      payload: {
        ordinal: 1,
        trigger: 'delivering',
        threadId: 'thread-1',
        turnId: null,
        tokens: TOKENS,
        commitSha: 'b'.repeat(40),
        baseCommit: 'a'.repeat(40),
        diffBlob: null,
        diffStat: DELIVERY.diffStat,
        sessionBlob: null,
      },
    },
    note('a line of the log'),
  );
  await finish(runner, done, { delivery: DELIVERY, marker: 'DONE', summary: 'Names are checked.' });
  await world.pass(MINUTE_MS);
  await world.createIssue({ title: 'Asks', priority: 2 });
  await world.tick();
  const asks = await runner.accept(runner.offer());
  const question = {
    id: 'name',
    header: 'Name',
    question: 'Which name?',
    options: [],
    isSecret: false,
  };
  await tell(
    runner,
    asks,
    { kind: 'turn', payload: { state: 'started', turnId: 'turn-1', number: 1 } },
    {
      kind: 'request',
      payload: { requestId: 'q-1', turnId: 'turn-1', questions: [question] },
    },
  );
  await ask(world, 'POST', '/api/v1/SY-2/steer', { message: 'Use the short name.' });
  await world.createIssue({ title: 'Fails' });
  await world.tick();
  const fails = await runner.accept(runner.offer());
  await finish(runner, fails, {
    outcome: 'failed',
    failureKind: 'agent_error',
    message: 'It broke.',
  });
  await world.pass(MINUTE_MS / 4);
  await world.createIssue({ title: 'Waits', description: 'No attempt yet.' });
  await ask(world, 'POST', '/api/v1/local/issues/SY-4/comments', { body: 'Please soon.' });
  await sealEntries(world.deps);
}

async function tableNames(db: Database): Promise<string[]> {
  const rows = await db.all<{ name: string }>(
    sql`select name from sqlite_master where type = 'table' and name not like 'sqlite~_%' escape '~' order by rowid`,
  );
  return rows.map(({ name }) => name);
}

/** Rows of tables that only other services reach: theirs are written here as those would be. */
async function completeByHand(db: Database): Promise<void> {
  for (const [table, row] of Object.entries(ROWS_BY_HAND)) {
    const [found] = await db.all<{ total: number }>(
      sql`select count(*) as total from ${sql.identifier(table)}`,
    );
    if (found === undefined || found.total > 0) continue;
    const names = sql.join(
      Object.keys(row).map((name) => sql.identifier(name)),
      sql`, `,
    );
    const values = sql.join(
      Object.values(row).map((value) => sql`${value}`),
      sql`, `,
    );
    await db.run(sql`insert into ${sql.identifier(table)} (${names}) values (${values})`);
  }
}

/** Tables, then rows, then what must not act on rows that are put back: indexes and triggers. */
async function dump(db: Database): Promise<string> {
  const made = (kind: 'table' | 'other') =>
    db.all<{ sql: string }>(
      kind === 'table'
        ? sql`select sql from sqlite_master where type = 'table' and name not like 'sqlite~_%' escape '~' order by rowid`
        : sql`select sql from sqlite_master where type <> 'table' and sql is not null order by rowid`,
    );
  const lines = (await made('table')).map((row) => `${row.sql};`);
  for (const name of [...(await tableNames(db)), 'sqlite_sequence']) {
    const columns = await db.all<{ name: string }>(
      sql`select name from pragma_table_info(${name})`,
    );
    const quotedRow = columns.map((column) => `quote("${column.name}")`).join(" || ', ' || ");
    const rows = await db.all<{ line: string }>(
      sql`select ${sql.raw(quotedRow)} as line from ${sql.identifier(name)}`,
    );
    if (rows.length === 0) throw new Error(`${name} has no row: give it one in rows-by-hand.ts`);
    lines.push(...rows.map(({ line }) => `INSERT INTO "${name}" VALUES (${line});`));
  }
  lines.push(...(await made('other')).map((row) => `${row.sql};`));
  return `${lines.join('\n')}\n`;
}

const newest = journal.entries.at(-1)?.tag ?? '';
const world = await createCoreWorld(openFramePeer, SETTINGS);
try {
  const { db, hashText } = world.deps;
  await live(world);
  await db.run(sql`update api_tokens set token_hash = ${hashText(FIXTURE_TOKEN)}`);
  await completeByHand(db);
  const path = join(import.meta.dirname, `${newest}.sql`);
  writeFileSync(path, await dump(db));
  process.stdout.write(`${path}\n`);
} finally {
  await world.close();
}
