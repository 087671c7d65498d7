import type { EffectiveConfig } from '../schema/config-schema.ts';

/** Secret that an operator's login fills while `engine.provider.apiKey` is left out. */
export const ENGINE_LOGIN_SECRET = 'ENGINE_API_KEY';

/** What stands for the model provider's key: the configured value or reference, else the login's. */
export function engineKeyValue({ engine }: Pick<EffectiveConfig, 'engine'>): string {
  const configured = engine.provider.apiKey;
  return configured === undefined || configured === ''
    ? `$SECRET:${ENGINE_LOGIN_SECRET}`
    : configured;
}
