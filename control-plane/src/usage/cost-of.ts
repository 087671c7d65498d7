import type { TokenUsage } from '@switchyard/shared/api/work/attempt';
import type { ReportedModels } from '@switchyard/shared/protocol/attempt-event';
import type { EffectiveConfig } from '../config/schema/config-schema.ts';
import { priceOf } from './price-of.ts';
import { threadCostUsd } from './thread-cost.ts';

/** A cost, and the tokens that it does not include. */
export type Cost = {
  /** US dollars; null when no model has a price. */
  usd: number | null;
  /** Tokens of models without a price. */
  unpricedTokens: number;
};

/**
 * The cost of an attempt's tokens. Engines also use other models than the attempt's; each is
 * charged at its own price, or at that of the attempt's model if it has none.
 */
export function costOf(
  config: Pick<EffectiveConfig, 'prices' | 'engine'>,
  attempt: { model: string | null; account: string | null },
  used: { tokens: TokenUsage; byModel: ReportedModels },
): Cost {
  const price = (model: string | null) => priceOf(config, model, attempt.account)?.price;
  const own = price(attempt.model);
  const parts = used.byModel.map(({ model, tokens }) => ({ tokens, price: price(model) ?? own }));
  const rest = used.byModel.reduce((left, { tokens }) => without(left, tokens), used.tokens);
  if (rest.total > 0 || parts.length === 0) parts.push({ tokens: rest, price: own });
  const known = parts.flatMap((part) => threadCostUsd(part.tokens, part.price) ?? []);
  const unpriced = parts.filter((part) => part.price === undefined);
  return {
    usd: known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0),
    unpricedTokens: unpriced.reduce((sum, { tokens }) => sum + tokens.total, 0),
  };
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
