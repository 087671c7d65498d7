import { providerAddress } from '@switchyard/shared/model-providers/hosted-providers';
import type { ConfigStore } from '../config-store.ts';

/**
 * The key that the configuration file or the environment gives for an address, or its reference: what
 * they say is of the address that they name. Null: they give none for this one.
 */
export function keyBelow(config: Pick<ConfigStore, 'evaluate'>, baseUrl: string): string | null {
  const below = config.evaluate({});
  if (!below.ok) return null;
  const { apiKey = '', ...provider } = below.config.engine.provider;
  const isTheirs = providerAddress(provider.baseUrl) === providerAddress(baseUrl);
  return isTheirs && apiKey !== '' ? apiKey : null;
}
