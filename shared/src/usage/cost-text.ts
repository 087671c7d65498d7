/** A sum of costs as the API tells it. */
export type CostSum = {
  /** US dollars; null: nothing in it has a price. */
  costUsd: number | null;
  /** Tokens of models without a price; left out by services that do not count them. */
  unpricedTokens?: number | undefined;
};

/** Dollars with as many digits as matter: `$0.042`, `$3.10`. */
export function formatCost(usd: number): string {
  return `$${usd > 0 && usd < 0.1 ? usd.toFixed(3) : usd.toFixed(2)}`;
}

/** `$1.20`, `≥ $1.20` where work without a price is in it, `no price` where nothing else is; null: no work. */
export function costText({ costUsd, unpricedTokens = 0 }: CostSum): string | null {
  if (unpricedTokens === 0) return costUsd === null ? null : formatCost(costUsd);
  return costUsd === null || costUsd === 0 ? 'no price' : `≥ ${formatCost(costUsd)}`;
}

/** What a sum lacks, as a sentence; null: nothing. */
export function lackingText({ unpricedTokens = 0 }: CostSum): string | null {
  if (unpricedTokens === 0) return null;
  return `Without ${unpricedTokens} tokens of models that have no price.`;
}

/** Several sums as one. */
export function sumCosts(sums: readonly CostSum[]): CostSum & { unpricedTokens: number } {
  const known = sums.flatMap(({ costUsd }) => costUsd ?? []);
  return {
    costUsd: known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0),
    unpricedTokens: sums.reduce((sum, one) => sum + (one.unpricedTokens ?? 0), 0),
  };
}
