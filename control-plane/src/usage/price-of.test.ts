import { describe, expect, it } from 'vitest';
import { LIST_PRICES } from '../config/provider/list-prices.ts';
import { priceOf, HOSTED_PROVIDER } from './price-of.ts';

const config = (baseUrl: string, prices = {}) =>
  ({ prices, engine: { provider: { baseUrl } } }) as Parameters<typeof priceOf>[0];

describe('the price of a model', () => {
  it('is that of the settings, else the list price of the hosted provider', () => {
    const own = { input: 1, output: 2 };
    expect(priceOf(config(HOSTED_PROVIDER, { 'gpt-5.5': own }), 'gpt-5.5')).toEqual({
      price: own,
      from: 'settings',
    });
    expect(priceOf(config(HOSTED_PROVIDER), 'gpt-5.5')).toEqual({
      price: LIST_PRICES.models['gpt-5.5'],
      from: 'list',
    });
  });

  it('is that of its model for a dated version, unless that has one of its own', () => {
    const prices = { mini: { input: 1, output: 2 }, 'mini-20260101': { input: 3, output: 4 } };
    const priced = (model: string) => priceOf(config('http://10.0.0.1/v1', prices), model)?.price;
    expect(priced('mini-2026-03-05')).toEqual(prices.mini);
    expect(priced('mini@20260305')).toEqual(prices.mini);
    expect(priced('mini-20260101')).toEqual(prices['mini-20260101']);
    expect(priced('mini-2')).toBeUndefined();
    expect(priceOf(config(HOSTED_PROVIDER), 'gpt-5-mini-2025-08-07')?.from).toBe('list');
  });

  it('stays what it was while a script stands in for the model on trial', () => {
    const { prices, engine } = config(HOSTED_PROVIDER);
    const onTrial = { prices, engine: { ...engine, trial: true } };
    expect(priceOf(onTrial, 'gpt-5.5')?.from).toBe('list');
    expect(priceOf(onTrial, 'scripted-trial')).toBeNull();
  });

  it('is unknown elsewhere, and for a model that nobody lists', () => {
    expect(priceOf(config('http://10.0.0.1/v1'), 'gpt-5.5')).toBeNull();
    expect(priceOf(config(HOSTED_PROVIDER), 'constructor')).toBeNull();
    expect(priceOf(config(HOSTED_PROVIDER), null)).toBeNull();
  });
});
