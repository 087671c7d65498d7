import { isSendableSecret } from '@switchyard/shared/sandbox/work-secret';
import type { ConfigStore } from '../config-store.ts';
import { grantProblems, unusableGrants } from './grant-problems.ts';
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
 * Wraps the store: when secrets have changed, a read loads all of them. The redactor then also
 * knows secrets that were not used since the start, and a grant of one that does not fit into a
 * header is refused. A secret that cannot be decrypted cannot leak.
 */
export function learningSecrets<Store extends ConfigStore>(
  config: Store,
  { db, masterKeys, redactor }: LearnDeps,
): Store {
  let known = '[]';
  let unsendable = new Set<string>();

  async function learn(versions: string): Promise<void> {
    if (versions === known) return;
    const next = new Set<string>();
    for (const stored of await allSecrets(db)) {
      const masterKey = await masterKeys.find(stored.masterKeyId).catch(() => null);
      if (masterKey === null) continue;
      const value = await decryptValue(masterKey, stored.key, stored).catch(() => null);
      if (value === null) continue;
      redactor.hide(value);
      if (!isSendableSecret(value.trim())) next.add(stored.key);
    }
    unsendable = next;
    known = versions;
  }

  return {
    ...config,
    async load() {
      const loaded = await config.load();
      await learn(config.secretVersions());
      return loaded;
    },
    problems: () => [...config.problems(), ...unusableGrants(config.latest(), unsendable)],
    evaluate(overlay: Record<string, unknown>) {
      const evaluation = config.evaluate(overlay);
      if (!evaluation.ok) return evaluation;
      const errors = grantProblems(evaluation.config, unsendable, config.latest());
      return errors.length === 0 ? evaluation : { ok: false, unknownKeys: [], errors };
    },
  };
}
