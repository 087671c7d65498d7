import type { Database } from '../../../db/database.ts';
import type { Clock, Logger } from '../../../ports/ports.ts';
import type { MasterKeys } from '../../../config/secrets/master-keys.ts';
import { secretsByMasterKey } from '../../../config/secrets/queries.ts';
import { FORGET, loadMasterKeys } from './load-master-keys.ts';
import { forgetSecrets } from '../../../config/secrets/rotate-master-key.ts';

/**
 * Loads the master keys and checks that they fit the stored secrets. Otherwise throws, with advice,
 * and changes nothing. `SERVICE_FORGET_SECRETS=<key id>` is for a permanently lost key: it deletes
 * the secrets of that key.
 */
export async function openSecrets(given: {
  db: Database;
  clock: Clock;
  logger: Logger;
  env: Readonly<Record<string, string | undefined>>;
  dataDir: string;
}): Promise<MasterKeys> {
  const stored = await secretsByMasterKey(given.db);
  const lostId = given.env[FORGET];
  const lost = stored.find(({ id }) => id === lostId);
  const kept = stored.filter((group) => group !== lost);
  const keys = await loadMasterKeys({ ...given, storedKeyIds: kept.map(({ id }) => id) });
  for (const group of kept) {
    if ((await keys.find(group.id)) === null) throw new Error(await wrongKey(keys, group));
  }
  if (lost === undefined) return keys;
  if ((await keys.find(lost.id)) !== null) {
    given.logger.warn(`${FORGET} names a master key that is here: nothing is deleted`, lost);
    return keys;
  }
  await forgetSecrets(given, lost);
  given.logger.warn('secrets were deleted, because their master key is lost', lost);
  return keys;
}

async function wrongKey(keys: MasterKeys, group: { id: string; total: number }): Promise<string> {
  const { id } = await keys.current();
  return (
    `${group.total} stored secrets are encrypted under the master key ${group.id}, but the one given ` +
    `is ${id}. Nothing was changed. Start with the key that was used before as SERVICE_MASTER_KEY; or, ` +
    `to change keys, with the new one there and the old one as SERVICE_MASTER_KEY_PREVIOUS; or, if ` +
    `the old one is lost, once with ${FORGET}=${group.id}, which deletes these secrets`
  );
}
