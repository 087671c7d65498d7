/** A sum of costs as the API returns it. */
export type CostSum = {
  /** US dollars; null: none of its models has a price. */
  costUsd: number | null;
  /** Tokens of models without a price; left out by services that do not count them. */
  unpricedTokens?: number | undefined;
};

/** Dollars with the digits that matter: `$0.042`, `$3.10`. */
export function formatCost(usd: number): string {
  return `$${usd > 0 && usd < 0.1 ? usd.toFixed(3) : usd.toFixed(2)}`;
}

/**
 * `$1.20`, `≥ $1.20` where some of the work has no price, `no price` where all of it has none;
 * null: no work.
 */
export function costText({ costUsd, unpricedTokens = 0 }: CostSum): string | null {
  if (unpricedTokens === 0) return costUsd === null ? null : formatCost(costUsd);
  return costUsd === null || costUsd === 0 ? 'no price' : `≥ ${formatCost(costUsd)}`;
}

/** A sentence on the tokens that a sum does not include; null: it is complete. */
export function lackingText({ unpricedTokens = 0 }: CostSum): string | null {
  if (unpricedTokens === 0) return null;
  return `Without ${unpricedTokens} tokens of models that have no price.`;
}

/** The total of several sums. */
export function sumCosts(sums: readonly CostSum[]): CostSum & { unpricedTokens: number } {
  const known = sums.flatMap(({ costUsd }) => costUsd ?? []);
  return {
    costUsd: known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0),
    unpricedTokens: sums.reduce((sum, one) => sum + (one.unpricedTokens ?? 0), 0),
  };
}
