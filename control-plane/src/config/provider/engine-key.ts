import { secretReference } from '@switchyard/shared/settings/secret-reference';
import type { EffectiveConfig } from '../schema/config-schema.ts';

/** Secret that an operator's login fills while `engine.provider.apiKey` is left out. */
export const ENGINE_LOGIN_SECRET = 'ENGINE_API_KEY';

/**
 * What stands for the model provider's key: the configured value or reference, else the login's. Empty
 * where the address takes no key: the login's may be that of another one.
 */
export function engineKeyValue({ engine }: Pick<EffectiveConfig, 'engine'>): string {
  const configured = engine.provider.apiKey;
  if (configured === null) return '';
  return configured === undefined || configured === ''
    ? secretReference(ENGINE_LOGIN_SECRET)
    : configured;
}
