import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../../../../test/support/test-database.ts';
import type { Database } from '../../../db/database.ts';
import { auditStatement } from '../audit-statement.ts';
import { SERVICE_CALLER } from '../../../http/caller/caller.ts';
import { sealEntries } from './seal-entries.ts';
import { verifyChain } from './verify-chain.ts';

let db: Database;
let close: () => Promise<void>;
beforeEach(async () => {
  ({ db, close } = await createTestDatabase());
});
afterEach(() => close());

async function write(entries: number): Promise<void> {
  for (let n = 1; n <= entries; n += 1) {
    const details = { n, text: 'Grüße "quoted"' };
    await db.batch([auditStatement(db, n, SERVICE_CALLER, { operation: 'test', details })]);
  }
}

/** What somebody with the file in hand can do. */
async function tamper(statement: string): Promise<void> {
  for (const name of ['audit_no_update', 'audit_no_delete', 'audit_no_replace']) {
    await db.run(sql.raw(`drop trigger if exists ${name}`));
  }
  for (const name of ['no_update', 'no_delete', 'no_replace']) {
    await db.run(sql.raw(`drop trigger if exists audit_chain_${name}`));
  }
  await db.run(sql.raw(statement));
}

describe('the chain of audit seals', () => {
  it('holds over an empty, a sealed and a partly sealed record', async () => {
    const empty = { ok: true, verified: 0, unsealed: 0, firstBroken: null, head: null };
    expect(await verifyChain(db)).toEqual(empty);
    await write(3);
    expect(await verifyChain(db)).toEqual({ ...empty, unsealed: 3 });
    expect(await sealEntries({ db })).toBe(3);
    expect(await sealEntries({ db })).toBe(0);
    await write(2);
    expect(await verifyChain(db)).toMatchObject({
      ok: true,
      verified: 3,
      unsealed: 2,
      head: { entry: 3 },
    });
  });

  it('holds over more than a page, sealed in several runs', { timeout: 60_000 }, async () => {
    await db.run(sql`insert into audit (at_ms, actor, source, operation, path, details)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500)
      select i, 'a', 'API', 'test', '/', '{}' from n`);
    expect(await sealEntries({ db })).toBe(2_000);
    expect(await sealEntries({ db })).toBe(500);
    expect(await verifyChain(db)).toMatchObject({ ok: true, verified: 2_500 });
    await tamper("update audit set actor = 'b' where entry = 1700");
    expect(await verifyChain(db)).toMatchObject({
      verified: 1_699,
      firstBroken: { entry: 1_700, problem: 'changed' },
    });
  });

  it.each([
    ['update audit set at_ms = at_ms + 1 where entry = 3', 3, 'changed'],
    ["update audit set details = '{}' where entry = 2", 2, 'changed'],
    ["update audit_chain set hash = replace(hash, 'a', 'b') where entry = 4", 4, 'changed'],
    ['delete from audit where entry = 1', 1, 'missing'],
    ['delete from audit_chain where entry = 2', 2, 'unsealed'],
    ['delete from audit where entry >= 4', 4, 'missing'],
    ['delete from audit where entry = 6', 6, 'truncated'],
  ])('names the first broken entry after: %s', async (statement, entry, problem) => {
    await write(5);
    await sealEntries({ db });
    await write(1);
    await tamper(statement);
    expect(await verifyChain(db)).toMatchObject({ ok: false, firstBroken: { entry, problem } });
  });

  it('notices that the end of both is gone', async () => {
    await write(4);
    await sealEntries({ db });
    await tamper('delete from audit where entry > 2');
    await db.run(sql`delete from audit_chain where entry > 2`);
    const { firstBroken } = await verifyChain(db);
    expect(firstBroken).toEqual({ entry: 3, problem: 'truncated' });
  });

  it('cannot be changed, replaced or deleted without breaking the triggers first', async () => {
    await write(2);
    await sealEntries({ db });
    const attempts = [
      "update audit set actor = 'x'",
      'delete from audit',
      "insert or replace into audit values (1, 1, 'x', 'API', 'x', '/', null, null, '{}')",
      "update audit_chain set hash = ''",
      'delete from audit_chain',
      "insert or replace into audit_chain values (1, 'x')",
    ];
    for (const attempt of attempts) await expect(db.run(sql.raw(attempt))).rejects.toThrow();
    expect(await verifyChain(db)).toMatchObject({ ok: true, verified: 2 });
  });
});
