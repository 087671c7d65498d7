import { describe, expect, it } from 'vitest';
import { HOSTED_PROVIDER } from '../../admin/config/provider/hosted-provider.ts';
import { LIST_PRICES } from '../../admin/config/provider/list-prices.ts';
import { priceOf } from './price-of.ts';

const config = (baseUrl: string, prices = {}) =>
  ({ prices, engine: { provider: { baseUrl } } }) as Parameters<typeof priceOf>[0];

describe('the price of a model', () => {
  it('is that of the settings, else the list price of the hosted provider', () => {
    const own = { input: 1, output: 2 };
    expect(priceOf(config(HOSTED_PROVIDER, { 'gpt-5.5': own }), 'gpt-5.5')).toEqual({
      ...{ price: own, from: 'settings' },
    });
    expect(priceOf(config(HOSTED_PROVIDER), 'gpt-5.5')).toEqual({
      ...{ price: LIST_PRICES.models['gpt-5.5'], from: 'list' },
    });
  });

  it('is unknown elsewhere, and for a model that nobody lists', () => {
    expect(priceOf(config('http://10.0.0.1/v1'), 'gpt-5.5')).toBeNull();
    expect(priceOf(config(HOSTED_PROVIDER), 'constructor')).toBeNull();
    expect(priceOf(config(HOSTED_PROVIDER), null)).toBeNull();
  });
});
