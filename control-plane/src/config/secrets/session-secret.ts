import { type Change, commitChange } from '../../observe/events/commit-change.ts';
import type { Database } from '../../db/database.ts';
import { AppError } from '../../errors.ts';
import type { SessionSecret } from '../../http/sessions/session-secret.ts';
import type { Clock, Ids, Logger } from '../../ports/ports.ts';
import { decryptValue, encryptValue } from './encrypt-value.ts';
import type { MasterKeys } from './master-keys.ts';
import {
  insertOwnSecret,
  replaceValue,
  secretByKey,
  SERVICE_SECRET_PREFIX,
  type StoredSecret,
} from './queries.ts';

const NAME = `${SERVICE_SECRET_PREFIX}session-secret`;
const MAX_LOST_RACES = 20;

type SecretDeps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  masterKeys: MasterKeys;
};

/**
 * The key that signs session cookies: random, created once for each database and stored like the
 * other secrets. A value that cannot be decrypted is replaced.
 */
export function createSessionSecret(deps: SecretDeps): SessionSecret {
  const read = async () => clearText(deps, await secretByKey(deps.db, NAME));
  return {
    read,
    async ensure() {
      for (let tries = 0; tries < MAX_LOST_RACES; tries += 1) {
        const stored = await secretByKey(deps.db, NAME);
        const clear = await clearText(deps, stored);
        if (clear !== null) return clear;
        if (stored !== null) deps.logger.warn('the session secret cannot be read: sessions end');
        await store(deps, stored);
      }
      throw new Error('the session secret cannot be made: others keep changing it');
    },
    async rotate(caller) {
      const audit = { caller, operation: 'session.end_all' };
      for (let tries = 0; tries < MAX_LOST_RACES; tries += 1) {
        if (await store(deps, await secretByKey(deps.db, NAME), audit)) return;
      }
      throw new AppError('conflict', 'the session secret keeps changing; try again');
    },
  };
}

/** Stores a new value in place of the one that was read; false when another writer was first. */
async function store(
  deps: SecretDeps,
  seen: StoredSecret | null,
  audit?: Change['audit'],
): Promise<boolean> {
  const { db, clock, ids, masterKeys } = deps;
  const value = await encryptValue(await masterKeys.current(), NAME, ids.secret());
  const nowMs = clock.nowMs();
  const change =
    seen === null
      ? insertOwnSecret(db, nowMs, { key: NAME, value })
      : replaceValue(db, nowMs, { seen, value });
  return commitChange(deps, { swap: change, ...(audit === undefined ? {} : { audit }) });
}

/**
 * Decrypts a stored secret; null when there is none, its master key is missing or the row is
 * damaged.
 */
async function clearText(
  { masterKeys }: SecretDeps,
  stored: StoredSecret | null,
): Promise<string | null> {
  const masterKey = stored === null ? null : await masterKeys.find(stored.masterKeyId);
  if (stored === null || masterKey === null) return null;
  try {
    return await decryptValue(masterKey, NAME, stored);
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
}
