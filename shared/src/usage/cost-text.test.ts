import { describe, expect, it } from 'vitest';
import { costText, formatCost, lackingText, sumCosts } from './cost-text.ts';

describe('a sum of costs', () => {
  it('has as many digits as matter', () => {
    expect([0, 0.0421, 3.1].map(formatCost)).toEqual(['$0.00', '$0.042', '$3.10']);
  });

  it('is never shown as nothing where work has no price', () => {
    const words = (costUsd: number | null, unpricedTokens?: number) =>
      costText({ costUsd, unpricedTokens });
    expect([words(null, 5), words(0, 5), words(1.2, 5)]).toEqual([
      'no price',
      'no price',
      '≥ $1.20',
    ]);
    expect([words(null, 0), words(0, 0), words(1.2), words(0)]).toEqual([
      null,
      '$0.00',
      '$1.20',
      '$0.00',
    ]);
  });

  it('says what it lacks, and keeps that when it is added up', () => {
    const sum = sumCosts([
      { costUsd: null, unpricedTokens: 5 },
      { costUsd: 1, unpricedTokens: 2 },
      { costUsd: 2 },
    ]);
    expect(sum).toEqual({ costUsd: 3, unpricedTokens: 7 });
    expect(lackingText(sum)).toBe('Without 7 tokens of models that have no price.');
    expect(lackingText({ costUsd: 3 })).toBeNull();
    expect(sumCosts([])).toEqual({ costUsd: null, unpricedTokens: 0 });
  });
});
