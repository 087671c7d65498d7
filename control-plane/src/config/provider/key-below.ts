import { providerAddress } from '@switchyard/shared/model-providers/hosted-providers';
import type { ConfigStore } from '../config-store.ts';

/**
 * The key, or its reference, that the configuration file or the environment gives for an address;
 * it applies only to the address they name. Null when they give none.
 */
export function keyBelow(config: Pick<ConfigStore, 'evaluate'>, baseUrl: string): string | null {
  const below = config.evaluate({});
  if (!below.ok) return null;
  const { apiKey = '', ...provider } = below.config.engine.provider;
  const isTheirs = providerAddress(provider.baseUrl) === providerAddress(baseUrl);
  return isTheirs && apiKey !== '' ? apiKey : null;
}
