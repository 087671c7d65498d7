import type { SetupCheck } from '@switchyard/shared/api/admin/setup';
import { providerAddress } from '@switchyard/shared/model-providers/hosted-providers';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';
import { modelWarning } from '../../../config/provider/offered-models.ts';
import type { ProviderAnswer } from '../ask-provider.ts';

/** The interpreted answer of a provider. */
type ProviderFinding = Pick<SetupCheck, 'ok' | 'message' | 'notes'> & {
  warnings: string[];
  models: string[] | null;
};

/** Interprets a provider's answer about itself and the model that agents use there. */
export function providerCheck(
  { offered, ...answer }: ProviderAnswer,
  use: { baseUrl: string; wireApi: WireApi; model: string },
): ProviderFinding {
  if (offered === null) return { ...answer, warnings: [], models: null };
  const { wireApi, model } = use;
  const fact = { ...offered, wireApi, baseUrl: providerAddress(use.baseUrl) };
  const isListed = offered.ids.includes(model);
  const notes = isListed ? [...answer.notes, `${model} is one of them.`] : answer.notes;
  const warning = modelWarning(fact, use);
  const warnings = warning === null ? [] : [warning];
  return { ...answer, notes, warnings, models: offered.ids };
}
