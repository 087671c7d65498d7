import { asc, count, eq, ne, sql } from 'drizzle-orm';
import type { Database, Statement } from '../db/database.ts';
import { secrets } from '../db/schema/secrets.ts';
import type { EncryptedValue } from './encrypt-value.ts';

type SecretRow = typeof secrets.$inferSelect;
export type StoredSecret = EncryptedValue & { key: string; version: number };

/** A page of names in alphabetical order, and how many there are. */
export async function secretKeys(
  db: Database,
  page: { limit: number; offset: number },
): Promise<{ keys: string[]; total: number }> {
  const [rows, counted] = await db.batch([
    db
      .select({ key: secrets.key })
      .from(secrets)
      .orderBy(asc(secrets.key))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(secrets),
  ]);
  return { keys: rows.map((row) => row.key), total: counted[0]?.total ?? 0 };
}

export async function secretByKey(db: Database, key: string): Promise<StoredSecret | null> {
  const [row] = await db.select().from(secrets).where(eq(secrets.key, key));
  return row === undefined ? null : storedSecret(row);
}

/** How many secrets each master key holds. */
export async function secretsByMasterKey(db: Database): Promise<{ id: string; total: number }[]> {
  return db
    .select({ id: secrets.master_key_id, total: count() })
    .from(secrets)
    .groupBy(secrets.master_key_id);
}

/** Secrets that are under any other master key. */
export async function secretsNotUnder(
  db: Database,
  masterKeyId: string,
  limit: number,
): Promise<StoredSecret[]> {
  const rows = await db
    .select()
    .from(secrets)
    .where(ne(secrets.master_key_id, masterKeyId))
    .limit(limit);
  return rows.map(storedSecret);
}

/** Stores a value under a name, new or not, unless that would make more than `maxSecrets`. */
export function upsertSecret(
  db: Database,
  nowMs: number,
  input: { key: string; value: EncryptedValue; maxSecrets: number },
): Statement {
  const { key, value } = input;
  return db.run(sql`insert into secrets
      (key, master_key_id, nonce, ciphertext, version, created_at_ms, updated_at_ms)
    select ${key}, ${value.masterKeyId}, ${value.nonce}, ${value.ciphertext}, 1, ${nowMs}, ${nowMs}
    where exists (select 1 from secrets where key = ${key})
      or (select count(*) from secrets) < ${input.maxSecrets}
    on conflict (key) do update set master_key_id = excluded.master_key_id, nonce = excluded.nonce,
      ciphertext = excluded.ciphertext, version = version + 1, updated_at_ms = excluded.updated_at_ms`);
}

/** The same value under another master key, unless it was changed meanwhile. */
export function replaceEncryption(
  db: Database,
  secret: StoredSecret,
  value: EncryptedValue,
): Statement {
  return db
    .update(secrets)
    .set({
      master_key_id: value.masterKeyId,
      nonce: value.nonce,
      ciphertext: value.ciphertext,
      version: secret.version + 1,
    })
    .where(sql`${secrets.key} = ${secret.key} and ${secrets.version} = ${secret.version}`);
}

export function deleteSecretRow(db: Database, key: string): Statement {
  return db.delete(secrets).where(eq(secrets.key, key));
}

export function deleteSecretsUnder(db: Database, masterKeyId: string): Statement {
  return db.delete(secrets).where(eq(secrets.master_key_id, masterKeyId));
}

function storedSecret(row: SecretRow): StoredSecret {
  const { key, version, nonce, ciphertext, master_key_id: masterKeyId } = row;
  return { key, version, nonce, ciphertext, masterKeyId };
}
