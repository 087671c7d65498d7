import type { ModelPrice } from '@switchyard/shared/api/work/usage';
import { describe, expect, it } from 'vitest';
import { fieldOf, type PriceRow, priceChanges, priceRows, uncountedText } from './price-rows.ts';

const rows: PriceRow[] = [
  { model: 'gpt-5.5', set: null, listed: { input: 5, cachedInput: 0.5, output: 30 } },
  { model: 'own', set: { input: 1, output: 2 }, listed: null },
];
const OWN = { '1.input': '1', '1.output': '2' };
const changes = (texts: Record<string, string>) =>
  priceChanges(rows, (name) => ({ ...OWN, ...texts })[name] ?? '');
const model = (name: string, input: number | null): ModelPrice => ({
  model: name,
  usedBy: ['attempts'],
  price: input === null ? null : { input, output: 1 },
  from: input === null ? null : 'settings',
});

describe('the form of prices', () => {
  it('sends only what a person has changed', () => {
    expect(changes({})).toEqual([]);
    expect(changes({ '0.input': '1.25', '0.output': '10' })).toEqual([
      {
        model: 'gpt-5.5',
        path: 'prices.gpt-5.5',
        value: { input: 1.25, cachedInput: 1.25, output: 10 },
      },
    ]);
    expect(changes({ '1.input': '', '1.output': '' })).toEqual([
      { model: 'own', path: 'prices.own', value: undefined },
    ]);
  });

  it('takes zero as free and any other model by its name', () => {
    const name = { [fieldOf(2, 'model')]: 'vendor/new-1.5' };
    expect(changes({ ...name, '2.input': '0', '2.cachedInput': '.5', '2.output': '0' })).toEqual([
      {
        model: 'vendor/new-1.5',
        path: 'prices.vendor/new-1.5',
        value: { input: 0, cachedInput: 0.5, output: 0 },
      },
    ]);
  });

  it.each([
    [{ '0.input': '1,25', '0.output': '3' }, '0.input', '"1,25" is no price (gpt-5.5, input)'],
    [{ '0.input': '-1', '0.output': '3' }, '0.input', '"-1" is no price'],
    [{ '0.input': '1' }, '0.output', 'gpt-5.5 needs a price for input and for output'],
    [{ '1.output': '' }, '1.output', 'own needs a price for input and for output'],
    [{ '2.input': '1', '2.output': '1' }, '2.model', 'Name the model'],
  ])('refuses %j in its field %s with what to write instead', (texts, field, words) => {
    expect(() => changes(texts)).toThrow(
      expect.objectContaining({ field, message: expect.stringContaining(words) }),
    );
  });

  it('has the models in use and those that have a price', () => {
    const config = { prices: { own: { input: 1, output: 2 }, old: { input: 3, output: 4 } } };
    const shown = priceRows([model('new', null), model('own', 1)], config);
    expect(shown).toEqual([
      { model: 'new', set: null, listed: null },
      { model: 'own', set: { input: 1, output: 2 }, listed: null },
      { model: 'old', set: { input: 3, output: 4 }, listed: null },
    ]);
  });
});

it('a limit of cost says which work it cannot count', () => {
  expect(uncountedText([model('a', 1)])).toBeNull();
  expect(uncountedText([model('a', 1), model('b', null)])).toContain('b has no price');
  expect(uncountedText([model('b', null)])).toContain('cannot take effect');
});
