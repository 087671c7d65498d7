import type { ListProviderModels, ProviderModels } from '@switchyard/shared/api/admin/setup';
import { AppError } from '../../../errors.ts';
import { askProvider } from '../ask-provider.ts';
import type { SetupDeps } from '../setup-deps.ts';
import { providerCheck } from './provider-check.ts';
import { readTarget } from './provider-target.ts';

/**
 * Lists the models of a provider that is not configured yet, and stores nothing. Throws a 502 with
 * the result of the request.
 */
export async function listProviderModels(
  deps: Pick<SetupDeps, 'config' | 'db' | 'resolveSecret'>,
  input: ListProviderModels,
): Promise<ProviderModels> {
  const target = await readTarget(deps, input);
  const answer = await askProvider(target);
  if (!answer.ok) {
    throw new AppError('upstream_failed', answer.message, { reason: 'provider_refused' });
  }
  const { baseUrl, wireApi, model } = target;
  const { message, notes, warnings, models } = providerCheck(answer, target);
  return { baseUrl, wireApi, model, message, notes, warning: warnings[0] ?? null, models };
}
