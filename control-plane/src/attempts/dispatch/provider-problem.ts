import type { EffectiveConfig } from '../../admin/config/schema/config-schema.ts';
import { HOSTED_PROVIDER } from '../../admin/config/provider/hosted-provider.ts';

/** Why no agent can reach a model as things are configured; null when nothing is known to be wrong. */
export function providerProblem(config: EffectiveConfig): string | null {
  const { apiKey, baseUrl } = config.engine.provider;
  const missing = apiKey === undefined || apiKey === '';
  // Local endpoints often need no key; the hosted one always does.
  if (!missing || baseUrl !== HOSTED_PROVIDER) return null;
  return 'no key of the model provider is set';
}
