import type { ConfigStore } from '../config-store.ts';
import { engineKeyValue } from './engine-key.ts';
import { type ResolveSecret, secretValue } from '../resolve-secret.ts';

/**
 * The key of the model provider at `baseUrl`; null when none is set, or when the provider that is
 * configured now stands at another address: a key is never used at an address that it was not set
 * for. Key and address are stored in one transaction, so an address that is still the same after
 * the key was read is that key's.
 */
export async function providerKey(
  deps: { config: Pick<ConfigStore, 'load' | 'expire'>; resolveSecret: ResolveSecret },
  { baseUrl, reader }: { baseUrl: string; reader: string },
): Promise<string | null> {
  const before = await deps.config.load();
  if (before.engine.provider.baseUrl !== baseUrl) return null;
  const key = await secretValue(engineKeyValue(before), deps.resolveSecret, reader);
  if (key === null) return null;
  deps.config.expire();
  const after = await deps.config.load();
  return after.engine.provider.baseUrl === baseUrl ? key : null;
}
