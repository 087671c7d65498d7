import { expectRowsAffected, type Step } from '../../db/commit-steps.ts';
import { commitChange } from '../../observe/events/commit-change.ts';
import type { Caller } from '../../http/caller/caller.ts';
import type { Database } from '../../db/database.ts';
import { AppError } from '../../errors.ts';
import type { Clock } from '../../ports/ports.ts';
import { decryptValue, encryptValue } from './encrypt-value.ts';
import type { MasterKey, MasterKeys } from './master-keys.ts';
import {
  deleteSecretRow,
  replaceEncryption,
  secretsNotUnder,
  SERVICE_SECRET_PREFIX,
} from './queries.ts';
import type { StoredSecret } from './queries.ts';

export type RotationDeps = { db: Database; clock: Clock; masterKeys: MasterKeys };

export type Rotation = {
  masterKeyId: string;
  /** Secrets that were under an older key. */
  reencrypted: number;
};

/** Rows per batch; at the largest size of a value 3 MiB. */
const CHUNK = 50;
const MAX_LOST_RACES = 20;

/**
 * Puts every secret under a new master key where the service makes its keys itself, else under the
 * one that it was given. Older keys stay accepted, so a crash in between loses nothing. Throws `conflict` naming a secret whose key is not here.
 */
export async function rotateMasterKey(deps: RotationDeps, caller: Caller): Promise<Rotation> {
  await deps.masterKeys.renew?.();
  return reencryptSecrets(deps, caller);
}

/** Puts every secret that is under an older master key under the current one. */
export async function reencryptSecrets(deps: RotationDeps, caller: Caller): Promise<Rotation> {
  const current = await deps.masterKeys.current();
  let reencrypted = 0;
  let lostRaces = 0;
  for (;;) {
    const rows = await secretsNotUnder(deps.db, current.id, CHUNK);
    if (rows.length === 0) return { masterKeyId: current.id, reencrypted };
    if (await reencryptChunk(deps, { caller, rows, current })) reencrypted += rows.length;
    else lostRaces += 1;
    if (lostRaces > MAX_LOST_RACES) {
      throw new AppError('conflict', 'others keep changing the secrets; try again');
    }
  }
}

async function reencryptChunk(
  deps: RotationDeps,
  input: { caller: Caller; rows: readonly StoredSecret[]; current: MasterKey },
): Promise<boolean> {
  const { db, masterKeys } = deps;
  const { rows, current } = input;
  const also: Step[] = [];
  for (const row of rows) {
    const old = await masterKeys.find(row.masterKeyId);
    if (old === null && row.key.startsWith(SERVICE_SECRET_PREFIX)) {
      // Nobody can read it any more, and the service makes another.
      also.push(deleteSecretRow(db, row.key));
      continue;
    }
    if (old === null) {
      throw new AppError(
        'conflict',
        `the secret ${row.key} is under the master key ${row.masterKeyId}, which is not here`,
      );
    }
    const value = await encryptValue(current, row.key, await clearText(old, row));
    also.push(expectRowsAffected(replaceEncryption(db, row, value)));
  }
  const details = { masterKeyId: current.id, secrets: rows.map((row) => row.key) };
  const audit = { caller: input.caller, operation: 'secret.rotate', details };
  return commitChange(deps, { audit, also });
}

async function clearText(masterKey: MasterKey, row: StoredSecret): Promise<string> {
  try {
    return await decryptValue(masterKey, row.key, row);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    throw new AppError('conflict', `the secret ${row.key} is damaged: set it again or delete it`);
  }
}
