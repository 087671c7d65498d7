import type { ConfigStore } from '../config-store.ts';
import type { EffectiveConfig } from '../schema/config-schema.ts';
import { configuredProvider } from './engine-choice.ts';
import { engineKeyValue } from './engine-key.ts';
import { type ResolveSecret, secretValue } from '../resolve-secret.ts';

/** Whose key is asked for, and where it will be used. */
export type KeyUse = {
  baseUrl: string;
  /** Account by name; left out: engine.provider. */
  account?: string | undefined;
};

/**
 * The key of an account of the model provider at `baseUrl`; null when none is set, or when that
 * account now stands at another address: a key is never used at an address that it was not set for,
 * nor for another account. Key and address are stored in one transaction, so an address that is
 * still the same after the key was read is that key's.
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
  // Accounts may trade names; the one without a name cannot.
  const isSame = use.account === undefined ? after !== null : after === before;
  return isSame ? key : null;
}

/** What stands for the key of that account at that address; null: nothing does. */
function keySetting(config: EffectiveConfig, { baseUrl, account }: KeyUse): string | null {
  // What a model began before a trial keeps its key; the address of the script is nobody's.
  const provider = configuredProvider(config, account);
  if (provider?.baseUrl !== baseUrl) return null;
  return account === undefined ? engineKeyValue(config) : (provider.apiKey ?? null);
}
