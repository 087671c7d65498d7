import { providerAddress } from '@switchyard/shared/model-providers/hosted-providers';
import type { OfferedModels } from '@switchyard/shared/model-providers/read-models';
import { WireApi } from '@switchyard/shared/model-providers/wire-api';
import { z } from 'zod';
import type { Database, Statement } from '../../db/database.ts';
import { readFact } from '../../db/read-fact.ts';
import { setFact } from '../../db/set-fact.ts';

const OFFERED_MODELS_FACT = 'provider_models';

const OfferedFact = z.object({
  baseUrl: z.string(),
  wireApi: WireApi,
  ids: z.array(z.string()),
  isWhole: z.boolean(),
});

/** The last list of models from a provider, with its address. */
export type OfferedFact = z.infer<typeof OfferedFact>;
/** A model and the provider where it is used. */
type ModelUse = { baseUrl: string; wireApi: WireApi; model: string };

/** The model provider's last list of models; null when there is none. */
export async function readOfferedModels(db: Database): Promise<OfferedFact | null> {
  const fact = OfferedFact.safeParse(await readFact(db, OFFERED_MODELS_FACT));
  return fact.success ? fact.data : null;
}

/** The statement that stores the list of models of the provider in use. */
export function rememberOfferedModels(
  db: Database,
  nowMs: number,
  { baseUrl, wireApi, offered }: Omit<ModelUse, 'model'> & { offered: OfferedModels },
): Statement {
  const fact: OfferedFact = { baseUrl: providerAddress(baseUrl), wireApi, ...offered };
  return setFact(db, nowMs, OFFERED_MODELS_FACT, fact);
}

/**
 * Whether the provider lists the model; null when unknown: the list is of another provider or
 * truncated.
 */
function isOffered(fact: OfferedFact | null, use: ModelUse): boolean | null {
  if (fact === null || fact.wireApi !== use.wireApi) return null;
  if (fact.baseUrl !== providerAddress(use.baseUrl)) return null;
  if (fact.ids.includes(use.model)) return true;
  return fact.isWhole ? false : null;
}

/** A warning about a model that its provider does not list; null when there is none. */
export function modelWarning(fact: OfferedFact | null, use: ModelUse): string | null {
  if (fact === null || isOffered(fact, use) !== false) return null;
  const { length } = fact.ids;
  const list = length === 1 ? 'the one model' : `the ${length} models`;
  return (
    `The model ${use.model} is not among ${list} that the provider lists. ` +
    'Choose one of them, or check the spelling: agents fail when the provider does not know it.'
  );
}
