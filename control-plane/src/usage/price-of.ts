import type { EffectiveConfig } from '../config/schema/config-schema.ts';
import { configuredProvider } from '../config/provider/engine-choice.ts';
import { HOSTED_PROVIDER } from '../config/provider/hosted-provider.ts';
import { LIST_PRICES } from '../config/provider/list-prices.ts';
import type { Price } from './thread-cost.ts';

/** A version's date behind a model's name: providers answer with it although they were asked without. */
const VERSION = /[-@](\d{8}|\d{4}-\d\d-\d\d)$/;

/**
 * What a model costs on an account (null: the only one), and who says so; null where nobody does. A
 * dated version of a model costs what the model does unless it has a price of its own.
 */
export function priceOf(
  config: Pick<EffectiveConfig, 'prices' | 'engine'>,
  model: string | null,
  account: string | null = null,
): { price: Price; from: 'settings' | 'list' } | null {
  const dated = model ?? '';
  const names = [dated, dated.replace(VERSION, '')];
  const own = find(config.prices, names);
  if (own !== undefined) return { price: own, from: 'settings' };
  // Elsewhere the same name costs something else, or nothing.
  const isListed = configuredProvider(config, account ?? undefined)?.baseUrl === HOSTED_PROVIDER;
  const listed = find(LIST_PRICES.models, names);
  return isListed && listed !== undefined ? { price: listed, from: 'list' } : null;
}

function find(
  prices: Readonly<Record<string, Price>>,
  names: readonly string[],
): Price | undefined {
  const name = names.find((one) => Object.hasOwn(prices, one));
  return name === undefined ? undefined : prices[name];
}
