import type { TokenUsage } from '@switchyard/shared/api/work/attempt';
import type { ReportedModels } from '@switchyard/shared/protocol/attempt-event';
import type { EffectiveConfig } from '../../admin/config/schema/config-schema.ts';
import { priceOf } from './price-of.ts';
import { threadCostUsd } from './thread-cost.ts';

/**
 * US dollars for what an attempt used. Engines ask other models beside the attempt's own; each is
 * reckoned by its own price, and by that of the attempt's model where it has none. Null: none of them
 * has a price.
 */
export function costOf(
  config: Pick<EffectiveConfig, 'prices' | 'engine'>,
  attempt: { model: string | null; account: string | null },
  used: { tokens: TokenUsage; byModel: ReportedModels },
): number | null {
  const price = (model: string | null) => priceOf(config, model, attempt.account)?.price;
  const own = price(attempt.model);
  const costs = used.byModel.map(({ model, tokens }) => threadCostUsd(tokens, price(model) ?? own));
  const rest = used.byModel.reduce((left, { tokens }) => without(left, tokens), used.tokens);
  if (rest.total > 0 || costs.length === 0) costs.push(threadCostUsd(rest, own));
  const known = costs.filter((cost) => cost !== null);
  return known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0);
}

function without(tokens: TokenUsage, counted: TokenUsage): TokenUsage {
  const rest = (part: keyof TokenUsage) => Math.max(0, tokens[part] - counted[part]);
  return {
    input: rest('input'),
    cachedInput: rest('cachedInput'),
    output: rest('output'),
    reasoning: rest('reasoning'),
    total: rest('total'),
  };
}
