import { expectRowsAffected, type Step } from '../../db/commit-steps.ts';
import { commitChange } from '../../observe/events/commit-change.ts';
import { type Caller, SERVICE_CALLER } from '../../http/caller/caller.ts';
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
  deleteSecretsUnder,
} from './queries.ts';
import type { StoredSecret } from './queries.ts';
import { auditStatement } from '../../observe/audit/audit-statement.ts';

export type RotationDeps = { db: Database; clock: Clock; masterKeys: MasterKeys };

export type Rotation = {
  masterKeyId: string;
  /** Number of secrets that were encrypted with an older key. */
  reencrypted: number;
};

/** Rows in one batch; 3 MiB at the largest value size. */
const CHUNK = 50;
const MAX_LOST_RACES = 20;

/**
 * Re-encrypts every secret with a new master key if the service manages its keys, else with the
 * given one. Older keys stay accepted, so that a crash loses nothing. Throws `conflict` that names
 * a secret whose key is missing.
 */
export async function rotateMasterKey(deps: RotationDeps, caller: Caller): Promise<Rotation> {
  await deps.masterKeys.renew?.();
  return reencryptSecrets(deps, caller);
}

/** Re-encrypts every secret of an older master key with the current one. */
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
      // Nobody can read this value, and the service creates a new one.
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

/**
 * Deletes the secrets that are encrypted with a permanently lost master key and so are unreadable.
 */
export async function forgetSecrets(
  deps: { db: Database; clock: Clock },
  lost: { id: string; total: number },
): Promise<void> {
  const caller = { ...SERVICE_CALLER, path: 'start' };
  const details = { masterKeyId: lost.id, secrets: lost.total };
  await deps.db.batch([
    deleteSecretsUnder(deps.db, lost.id),
    auditStatement(deps.db, deps.clock.nowMs(), caller, { operation: 'secret.forget', details }),
  ]);
}
