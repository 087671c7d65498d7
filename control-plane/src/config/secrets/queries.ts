import { and, asc, count, eq, ne, not, like, sql } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import { secrets } from '../../db/schema/admin/secrets.ts';
import type { EncryptedValue } from './encrypt-value.ts';

type SecretRow = typeof secrets.$inferSelect;
export type StoredSecret = EncryptedValue & { key: string; version: number };

/**
 * Prefix of the service's own secrets. People cannot use such a name, and these rows appear in no
 * list, count or limit.
 */
export const SERVICE_SECRET_PREFIX = 'service:';
const isPersons = not(like(secrets.key, `${SERVICE_SECRET_PREFIX}%`));

/** A page of names in alphabetical order, and how many there are. */
export async function secretKeys(
  db: Database,
  page: { limit: number; offset: number },
): Promise<{ keys: string[]; total: number }> {
  const [rows, counted] = await db.batch([
    db
      .select({ key: secrets.key })
      .from(secrets)
      .where(isPersons)
      .orderBy(asc(secrets.key))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(secrets).where(isPersons),
  ]);
  return { keys: rows.map((row) => row.key), total: counted[0]?.total ?? 0 };
}

export async function secretByKey(db: Database, key: string): Promise<StoredSecret | null> {
  const [row] = await db.select().from(secrets).where(eq(secrets.key, key));
  return row === undefined ? null : storedSecret(row);
}

/** Every secret, including the service's own. */
export async function allSecrets(db: Database): Promise<StoredSecret[]> {
  return (await db.select().from(secrets)).map(storedSecret);
}

/** How many secrets each master key encrypts, without those that the service could create again. */
export async function secretsByMasterKey(db: Database): Promise<{ id: string; total: number }[]> {
  return db
    .select({ id: secrets.master_key_id, total: count() })
    .from(secrets)
    .where(isPersons)
    .groupBy(secrets.master_key_id);
}

/** The master keys that are needed to read all secrets, including the service's own. */
export async function masterKeysInUse(db: Database): Promise<{ id: string }[]> {
  return db.select({ id: secrets.master_key_id }).from(secrets).groupBy(secrets.master_key_id);
}

/** Secrets that are encrypted with any other master key. */
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

/** Inserts or replaces a secret, unless that would exceed `maxSecrets`. */
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
      or (select count(*) from secrets where ${isPersons}) < ${input.maxSecrets}
    on conflict (key) do update set master_key_id = excluded.master_key_id, nonce = excluded.nonce,
      ciphertext = excluded.ciphertext, version = version + 1, updated_at_ms = excluded.updated_at_ms`);
}

/** Inserts one of the service's own secrets unless it exists. */
export function insertOwnSecret(
  db: Database,
  nowMs: number,
  { key, value }: { key: string; value: EncryptedValue },
): Statement {
  const { masterKeyId: master_key_id, nonce, ciphertext } = value;
  const times = { created_at_ms: nowMs, updated_at_ms: nowMs };
  return db
    .insert(secrets)
    .values({ key, master_key_id, nonce, ciphertext, version: 1, ...times })
    .onConflictDoNothing();
}

/** Replaces a value, unless it changed since it was read. */
export function replaceValue(
  db: Database,
  nowMs: number,
  { seen, value }: { seen: StoredSecret; value: EncryptedValue },
): Statement {
  const { masterKeyId: master_key_id, nonce, ciphertext } = value;
  return db
    .update(secrets)
    .set({ master_key_id, nonce, ciphertext, version: seen.version + 1, updated_at_ms: nowMs })
    .where(and(eq(secrets.key, seen.key), eq(secrets.version, seen.version)));
}

/** Stores the same value encrypted with another master key, unless it changed since it was read. */
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
