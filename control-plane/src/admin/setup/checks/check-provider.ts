import { SCRIPTED_STANDING } from '@switchyard/shared/model-providers/scripted-model';
import { engineKeyValue } from '../../../config/provider/engine-key.ts';
import { rememberOfferedModels } from '../../../config/provider/offered-models.ts';
import { secretValue } from '../../../config/resolve-secret.ts';
import type { Deps } from '../../../deps.ts';
import { askProvider } from '../ask-provider.ts';
import { providerCheck } from '../provider/provider-check.ts';
import type { Finding } from './finding.ts';

/** Checks whether the model provider answers, and remembers its list of models. */
export async function checkProvider(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'resolveSecret'>,
): Promise<Finding> {
  const config = await deps.config.load();
  const { baseUrl, wireApi } = config.engine.provider;
  const { model, trial } = config.engine;
  if (trial) return { ok: true, message: SCRIPTED_STANDING, notes: [] };
  const apiKey = await secretValue(engineKeyValue(config), deps.resolveSecret);
  const answer = await askProvider({ baseUrl, wireApi, apiKey });
  const { offered } = answer;
  if (offered !== null) {
    // Later warnings about the model use the newest list.
    const list = { baseUrl, wireApi, offered };
    await deps.db.batch([rememberOfferedModels(deps.db, deps.clock.nowMs(), list)]);
  }
  return providerCheck(answer, { baseUrl, wireApi, model });
}
