import type { Database } from '../../db/database.ts';
import { decryptValue } from './encrypt-value.ts';
import type { MasterKeys } from './master-keys.ts';
import { allSecrets } from './queries.ts';

type LearnDeps = {
  db: Database;
  masterKeys: Pick<MasterKeys, 'find'>;
  redactor: { hide(secret: string): void };
};

/**
 * Has the redactor know every stored secret, also those that nothing has used since the start. Reads
 * them only when `versions` (of all secrets, as the configuration was read with) has changed. A
 * secret that cannot be decrypted can be shown by nobody.
 */
export function createLearnSecrets({ db, masterKeys, redactor }: LearnDeps) {
  let known = '[]';
  return async (versions: string): Promise<void> => {
    if (versions === known) return;
    for (const stored of await allSecrets(db)) {
      const masterKey = await masterKeys.find(stored.masterKeyId);
      const value =
        masterKey === null
          ? null
          : await decryptValue(masterKey, stored.key, stored).catch(() => null);
      if (value !== null) redactor.hide(value);
    }
    known = versions;
  };
}
