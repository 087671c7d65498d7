import { secretReference } from '@switchyard/shared/settings/secret-reference';
import type { EffectiveConfig } from '../schema/config-schema.ts';

/**
 * Name of the secret that stores the provider key of an operator's login through the API; used
 * while `engine.provider.apiKey` is not configured.
 */
export const ENGINE_LOGIN_SECRET = 'ENGINE_API_KEY';

/**
 * The model provider's key: the configured value or reference, else a reference to the key stored
 * by the operator's login. Empty if `apiKey` is null (the address needs no key): the stored key may
 * belong to another provider and must not be sent there.
 */
export function engineKeyValue({ engine }: Pick<EffectiveConfig, 'engine'>): string {
  const configured = engine.provider.apiKey;
  if (configured === null) return '';
  return configured === undefined || configured === ''
    ? secretReference(ENGINE_LOGIN_SECRET)
    : configured;
}
