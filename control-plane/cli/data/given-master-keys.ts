import { importMasterKey, parseMasterKey } from '../../src/config/secrets/master-key.ts';
import type { MasterKey, MasterKeys } from '../../src/config/secrets/master-keys.ts';

/**
 * Master keys from a comma-separated text, the current one first. Throws for text that is no key.
 */
export async function givenMasterKeys(text: string, where: string): Promise<MasterKeys> {
  const keys = await Promise.all(text.split(',').map((one) => givenKey(one, where)));
  const [current] = keys;
  if (current === undefined) throw new Error(`${where} is empty`);
  return {
    current: () => Promise.resolve(current),
    find: (id) => Promise.resolve(keys.find((key) => key.id === id) ?? null),
    renew: null,
  };
}

/** The keys of a side without secrets, so that nobody has to enter a key needlessly. */
export const NO_MASTER_KEYS: MasterKeys = {
  current: () => Promise.reject(new Error('there is no master key')),
  find: () => Promise.resolve(null),
  renew: null,
};

async function givenKey(text: string, where: string): Promise<MasterKey> {
  const bytes = parseMasterKey(text);
  if (bytes !== null) return importMasterKey(bytes);
  throw new Error(
    `${where} must be 32 bytes as base64 or as 64 hex digits (openssl rand -base64 32 makes one)`,
  );
}
