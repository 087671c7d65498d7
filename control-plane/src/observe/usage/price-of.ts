import type { EffectiveConfig } from '../../admin/config/schema/config-schema.ts';
import { providerOfAccount } from '../../admin/config/provider/engine-choice.ts';
import { HOSTED_PROVIDER } from '../../admin/config/provider/hosted-provider.ts';
import { LIST_PRICES } from '../../admin/config/provider/list-prices.ts';
import type { Price } from './thread-cost.ts';

/** What a model costs on an account (null: the only one), and who says so; null where nobody does. */
export function priceOf(
  config: Pick<EffectiveConfig, 'prices' | 'engine'>,
  model: string | null,
  account: string | null = null,
): { price: Price; from: 'settings' | 'list' } | null {
  const { prices } = config;
  const name = model ?? '';
  const own = Object.hasOwn(prices, name) ? prices[name] : undefined;
  if (own !== undefined) return { price: own, from: 'settings' };
  // Elsewhere the same name costs something else, or nothing.
  const isListed = providerOfAccount(config, account ?? undefined)?.baseUrl === HOSTED_PROVIDER;
  const listed = Object.hasOwn(LIST_PRICES.models, name) ? LIST_PRICES.models[name] : undefined;
  return isListed && listed !== undefined ? { price: listed, from: 'list' } : null;
}
