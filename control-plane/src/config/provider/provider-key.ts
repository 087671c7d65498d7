import type { ConfigStore } from '../config-store.ts';
import type { EffectiveConfig } from '../schema/config-schema.ts';
import { configuredProvider } from './engine-choice.ts';
import { engineKeyValue } from './engine-key.ts';
import { type ResolveSecret, secretValue } from '../resolve-secret.ts';

/** Which account's key is requested, and where it will be used. */
export type KeyUse = {
  baseUrl: string;
  /** Account name; left out: engine.provider. */
  account?: string | undefined;
};

/**
 * The key of an account of the model provider at `baseUrl`. Null when none is set, or when the
 * account now has another address: a key is used only at the address for which it was set. Key and
 * address are stored in one transaction, so if the address is unchanged after the key was read,
 * they belong together.
 */
export async function providerKey(
  deps: { config: Pick<ConfigStore, 'load' | 'expire'>; resolveSecret: ResolveSecret },
  { reader, ...use }: KeyUse & { reader: string },
): Promise<string | null> {
  const before = keySetting(await deps.config.load(), use);
  if (before === null) return null;
  const key = await secretValue(before, deps.resolveSecret, reader);
  if (key === null) return null;
  deps.config.expire();
  const after = keySetting(await deps.config.load(), use);
  // Accounts may be renamed in between; the default account cannot.
  const isSame = use.account === undefined ? after !== null : after === before;
  return isSame ? key : null;
}

/** The setting with the key of an account at an address; null when there is none. */
function keySetting(config: EffectiveConfig, { baseUrl, account }: KeyUse): string | null {
  // Work that a real model began before a trial keeps its key; the scripted model's address has
  // none.
  const provider = configuredProvider(config, account);
  if (provider?.baseUrl !== baseUrl) return null;
  return account === undefined ? engineKeyValue(config) : (provider.apiKey ?? null);
}
