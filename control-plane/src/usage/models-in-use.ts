import { isScriptedModel } from '@switchyard/shared/model-providers/scripted-model';
import type { ModelPrice } from '@switchyard/shared/api/work/usage';
import type { EffectiveConfig } from '../config/schema/config-schema.ts';
import { priceOf } from './price-of.ts';

/**
 * Most models that are returned, as many as a form can show: there is no limit on the names that
 * attempts used.
 */
const MAX_MODELS = 200;

type Used = { model: string | null; account: string | null };

/**
 * The models of the settings, of issues' own choices and of attempts, those without a price first.
 * A model counts as unpriced if it has no price on one of its accounts.
 */
export function modelsInUse(
  config: Pick<EffectiveConfig, 'prices' | 'engine'>,
  used: { issues: readonly Used[]; attempts: readonly Used[] },
): ModelPrice[] {
  const { engine } = config;
  const settings = [
    { model: engine.model, account: null },
    ...engine.choices.map(({ model, account }) => ({ model, account: account ?? null })),
  ];
  const found = new Map<string, ModelPrice>();
  const take = (by: ModelPrice['usedBy'][number], all: readonly Used[]) => {
    for (const { model, account } of all) {
      // A trial's scripted model needs no price.
      if (model === null || isScriptedModel(model)) continue;
      const here = priceOf(config, model, account) ?? { price: null, from: null };
      const known = found.get(model);
      const priced = known === undefined || known.price !== null ? here : known;
      const usedBy = [...new Set([...(known?.usedBy ?? []), by])];
      found.set(model, { model, price: priced.price, from: priced.from, usedBy });
    }
  };
  // During a trial the configured models are not used.
  if (!engine.trial) take('settings', settings);
  take('issues', used.issues);
  take('attempts', used.attempts);
  const rank = ({ price }: ModelPrice) => (price === null ? 0 : 1);
  return [...found.values()]
    .toSorted((a, b) => rank(a) - rank(b) || (a.model < b.model ? -1 : 1))
    .slice(0, MAX_MODELS);
}
