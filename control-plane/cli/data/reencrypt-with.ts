import type { Value } from '@libsql/client';
import { sha256Hex } from '../../src/sha256-hex.ts';
import { decryptValue, encryptValue } from '../../src/config/secrets/encrypt-value.ts';
import type { MasterKeys } from '../../src/config/secrets/master-keys.ts';
import { valueText } from './cell-text.ts';
import type { CopiedTable } from './list-tables.ts';
import type { NumberedRow } from './read-page.ts';

/** The table whose rows are encrypted with a master key. */
const SECRETS = 'secrets';

type Translate = (table: CopiedTable, row: NumberedRow) => Promise<NumberedRow>;

/** Encrypts a secret with the target's master key; rows of other tables are not changed. */
export function reencryptWith(from: MasterKeys, to: MasterKeys): Translate {
  return async (table, row) => {
    if (table.name !== SECRETS) return row;
    const { name, clear } = await opened(table, row, from);
    const encrypted = await encryptValue(await to.current(), name, clear);
    return replaced(table, row, {
      master_key_id: encrypted.masterKeyId,
      nonce: bufferOf(encrypted.nonce),
      ciphertext: bufferOf(encrypted.ciphertext),
    });
  };
}

/** Replaces a secret's encryption by a digest of its value, the same under both master keys. */
export function comparableWith(keys: MasterKeys): Translate {
  return async (table, row) => {
    if (table.name !== SECRETS) return row;
    const { clear } = await opened(table, row, keys);
    const digest = await sha256Hex(clear);
    return replaced(table, row, { master_key_id: digest, nonce: null, ciphertext: null });
  };
}

async function opened(table: CopiedTable, row: NumberedRow, keys: MasterKeys) {
  const value = (column: string) => row.values[table.columns.indexOf(column)] ?? null;
  const name = valueText(value('key'));
  const masterKeyId = valueText(value('master_key_id'));
  const key = await keys.find(masterKeyId);
  if (key === null) {
    throw new Error(`the secret ${name} is under the master key ${masterKeyId}, which is not here`);
  }
  try {
    const [nonce, ciphertext] = [bytesOf(value('nonce')), bytesOf(value('ciphertext'))];
    const stored = { masterKeyId, nonce, ciphertext };
    return { name, clear: await decryptValue(key, name, stored) };
  } catch (error) {
    throw new Error(`the secret ${name} is damaged: set it again or delete it`, { cause: error });
  }
}

function replaced(
  table: CopiedTable,
  row: NumberedRow,
  by: Readonly<Record<string, Value>>,
): NumberedRow {
  const values = table.columns.map((column, place) =>
    Object.hasOwn(by, column) ? (by[column] ?? null) : (row.values[place] ?? null),
  );
  return { rowid: row.rowid, values };
}

function bytesOf(value: Value): Uint8Array {
  if (!(value instanceof ArrayBuffer)) throw new TypeError('a secret is no bytes');
  return new Uint8Array(value);
}

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
