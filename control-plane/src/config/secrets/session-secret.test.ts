import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../../../test/support/test-database.ts';
import { createTestMasterKeys } from '../../../../test/support/test-master-keys.ts';
import { createTestPorts } from '../../../../test/support/test-ports.ts';
import { SERVICE_CALLER } from '../../http/caller/caller.ts';
import { createIds } from '../../create-ids.ts';
import { audit } from '../../db/schema/operation/audit.ts';
import { secrets } from '../../db/schema/admin/secrets.ts';
import { secretsByMasterKey } from './queries.ts';
import { rotateMasterKey } from './rotate-master-key.ts';
import { createSessionSecret } from './session-secret.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.close());

/** One instance of the service over the database, with the master key that it was given. */
function instance(masterKeys = createTestMasterKeys()) {
  const ports = createTestPorts();
  const deps = { ...ports, ids: createIds(ports.clock.nowMs), db: database.db, masterKeys };
  return { ...deps, secret: createSessionSecret(deps) };
}

describe('the session secret', () => {
  it('is made once, whoever is first', async () => {
    const [one, two] = [instance(), instance()];
    expect(await one.secret.read()).toBeNull();
    const made = await Promise.all([one, two, one, two].map(({ secret }) => secret.ensure()));
    expect(new Set(made).size).toBe(1);
    expect(made[0]).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await two.secret.read()).toBe(made[0]);
  });

  it('is encrypted, and counts among no secrets of the installation', async () => {
    const { secret, db } = instance();
    const clear = await secret.ensure();
    const [row] = await db.select().from(secrets);
    expect(Buffer.from(row?.ciphertext ?? []).includes(clear)).toBe(false);
    expect(await secretsByMasterKey(db)).toEqual([]);
  });

  it('is replaced once per rotation, for all instances', async () => {
    const [one, two] = [instance(), instance()];
    const before = await one.secret.ensure();
    await Promise.all([one.secret.rotate(SERVICE_CALLER), two.secret.rotate(SERVICE_CALLER)]);
    const after = await one.secret.read();
    expect(after).not.toBe(before);
    expect(await two.secret.read()).toBe(after);
    const rows = await database.db
      .select()
      .from(audit)
      .where(eq(audit.operation, 'session.end_all'));
    expect(rows).toHaveLength(2);
  });

  it('moves to a new master key with the secrets', async () => {
    const one = instance();
    const before = await one.secret.ensure();
    await rotateMasterKey(one, SERVICE_CALLER);
    expect(await one.secret.read()).toBe(before);
    const { id } = await one.masterKeys.current();
    const [row] = await database.db.select().from(secrets);
    expect(row?.master_key_id).toBe(id);
  });

  it('is made anew when its master key is lost or its row is damaged', async () => {
    const before = await instance().secret.ensure();
    const other = instance(createTestMasterKeys(9));
    expect(await other.secret.read()).toBeNull();
    const after = await other.secret.ensure();
    expect(after).not.toBe(before);
    await database.db.update(secrets).set({ nonce: new Uint8Array(12) });
    expect(await other.secret.read()).toBeNull();
    expect(await other.secret.ensure()).not.toBe(after);
  });

  it('does not stand in the way of a master key that replaces a lost one', async () => {
    await instance().secret.ensure();
    const other = instance(createTestMasterKeys(9));
    await rotateMasterKey(other, SERVICE_CALLER);
    expect(await database.db.select().from(secrets)).toEqual([]);
  });
});
