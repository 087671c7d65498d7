import { HOSTED_PROVIDERS } from '@switchyard/shared/model-providers/hosted-providers';
import type { EffectiveConfig } from '../config/schema/config-schema.ts';
import { configuredProvider } from '../config/provider/engine-choice.ts';
import { LIST_PRICES } from '../config/provider/list-prices.ts';
import type { Price } from './thread-cost.ts';

/** The default provider, for which list prices are known. */
export const HOSTED_PROVIDER = HOSTED_PROVIDERS.responses.baseUrl;

/**
 * A date after a model's name: providers report it although the request named the model without it.
 */
const VERSION = /[-@](\d{8}|\d{4}-\d\d-\d\d)$/;

/**
 * The price of a model on an account (null: the only one) and its source; null when there is none.
 * A dated version costs the same as its model unless it has a price of its own.
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
  // List prices apply only at the hosted provider; elsewhere the same name may have another price.
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
