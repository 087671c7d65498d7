import { secretValue } from '../../config/resolve-secret.ts';
import type { Deps } from '../../deps.ts';
import type { MetricProvider } from '../../ports/ports.ts';

/** The secret that signs a provider's webhooks; null when none is configured. */
export async function deliverySecret(
  deps: Pick<Deps, 'config' | 'resolveSecret'>,
  provider: MetricProvider,
): Promise<string | null> {
  const { webhook } = await deps.config.load();
  const own = provider === 'codehost' ? webhook.codehostSecret : undefined;
  return secretValue(own ?? webhook.webhookSecret, deps.resolveSecret);
}
