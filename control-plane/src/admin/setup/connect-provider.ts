import type { ConnectProvider, ProviderConnected } from '@switchyard/shared/api/admin/setup';
import type { Caller } from '../../observe/audit/caller.ts';
import { ENGINE_LOGIN_SECRET, engineKeyValue } from '../config/provider/engine-key.ts';
import { isSecretReference } from '../config/values/redact-config.ts';
import { secretValue } from '../config/resolve-secret.ts';
import { acceptSecret } from '../secrets/accept-secret.ts';
import { AppError } from '../../errors.ts';
import { askProvider } from './ask-provider.ts';
import type { SetupDeps } from './setup-deps.ts';
import { storeSettings } from './store-settings.ts';

/**
 * Sets the model provider once it has answered: the key becomes a secret to which the configuration
 * refers. Throws a 502 that says what came of asking it, unless `unchecked`; nothing is
 * kept then.
 */
export async function connectProvider(
  deps: SetupDeps,
  input: ConnectProvider & { caller: Caller },
): Promise<ProviderConnected> {
  const { caller } = input;
  const apiKey = input.apiKey === undefined ? undefined : acceptSecret(input.apiKey);
  const config = await deps.config.load();
  const { provider } = config.engine;
  const baseUrl = input.baseUrl ?? provider.baseUrl;
  const name = input.name ?? (baseUrl === provider.baseUrl ? provider.name : new URL(baseUrl).host);
  const model = input.model ?? config.engine.model;
  const reference = engineKeyValue(config);
  // The key that is set belongs to the address that is set: another one never gets it.
  const present =
    baseUrl === provider.baseUrl ? await secretValue(reference, deps.resolveSecret) : null;
  const answer = await askProvider({ baseUrl, model, apiKey: apiKey ?? present });
  if (!answer.ok && !input.unchecked) {
    // Its words say whether it was not reached, refuses the key or has trouble of its own.
    throw new AppError('upstream_failed', answer.message, { reason: 'provider_refused' });
  }
  const secret = isSecretReference(reference)
    ? reference.slice('$SECRET:'.length)
    : ENGINE_LOGIN_SECRET;
  await storeSettings(deps, {
    caller,
    operation: 'provider.connect',
    subject: name,
    secrets: apiKey === undefined ? [] : [{ key: secret, value: apiKey }],
    settings: {
      'engine.provider.name': name,
      'engine.provider.baseUrl': baseUrl,
      'engine.model': model,
      // Whoever connects one wants its work.
      'engine.trial': false,
      ...(apiKey === undefined ? {} : { 'engine.provider.apiKey': `$SECRET:${secret}` }),
    },
  });
  const checkedAt = new Date(deps.clock.nowMs()).toISOString();
  return { name, baseUrl, model, check: { step: 'provider', ...answer, checkedAt } };
}
