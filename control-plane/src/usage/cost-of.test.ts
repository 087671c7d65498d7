import { describe, expect, it } from 'vitest';
import { costOf } from './cost-of.ts';

const MILLION = 1_000_000;
const used = (input: number) => ({ input, cachedInput: 0, output: 0, reasoning: 0, total: input });
const attempt = { model: 'large', account: null };
const cost = (prices: Record<string, number>, byModel: Record<string, number>, all: number) => {
  const each = Object.entries(prices).map(([name, input]) => [name, { input, output: 0 }]);
  const config = {
    prices: Object.fromEntries(each),
    engine: { provider: { baseUrl: 'http://x/v1' } },
  };
  return costOf(config as Parameters<typeof costOf>[0], attempt, {
    tokens: used(all * MILLION),
    byModel: Object.entries(byModel).map(([model, of]) => ({ model, tokens: used(of * MILLION) })),
  });
};

describe('the cost of an attempt', () => {
  it('is that of each model it asked', () => {
    expect(cost({ large: 10, small: 1 }, { large: 2, small: 3 }, 5)).toEqual({
      usd: 23,
      unpricedTokens: 0,
    });
  });

  it('reckons a model without a price, and what no model is told for, by the attempt’s own', () => {
    expect(cost({ large: 10 }, { large: 2, small: 3 }, 5)).toEqual({ usd: 50, unpricedTokens: 0 });
    expect(cost({ large: 10, small: 1 }, { small: 3 }, 5)).toEqual({ usd: 23, unpricedTokens: 0 });
    expect(cost({ large: 10 }, {}, 5)).toEqual({ usd: 50, unpricedTokens: 0 });
  });

  it('is what is known of it where the attempt’s own model has no price', () => {
    expect(cost({ small: 1 }, { large: 2, small: 3 }, 5)).toEqual({
      usd: 3,
      unpricedTokens: 2 * MILLION,
    });
    expect(cost({}, { large: 2, small: 3 }, 5)).toEqual({ usd: null, unpricedTokens: 5 * MILLION });
    expect(cost({}, {}, 0)).toEqual({ usd: null, unpricedTokens: 0 });
  });
});
