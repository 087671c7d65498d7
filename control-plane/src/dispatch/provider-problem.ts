import type { EffectiveConfig } from '../config/config-schema.ts';

const HOSTED_PROVIDER = 'https://api.openai.com/v1';

/** Why no agent can reach a model as things are configured; null when nothing is known to be wrong. */
export function providerProblem(config: EffectiveConfig): string | null {
  const { apiKey, baseUrl } = config.engine.provider;
  const missing = apiKey === undefined || apiKey === '';
  // Local endpoints often need no key; the hosted one always does.
  if (!missing || baseUrl !== HOSTED_PROVIDER) return null;
  return (
    'no model provider key is set: store it with POST /api/v1/secrets/ENGINE_API_KEY, ' +
    'or start with SERVICE_CONFIG__engine__provider__apiKey=…'
  );
}
