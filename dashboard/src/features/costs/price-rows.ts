import type { ModelPrice } from '@switchyard/shared/api/work/usage';

/** The parts of usage with separate prices, in US dollars per million tokens. */
export const PRICE_PARTS = [
  { part: 'input', label: 'Input' },
  { part: 'cachedInput', label: 'Cached input' },
  { part: 'output', label: 'Output' },
] as const;
type PricePart = (typeof PRICE_PARTS)[number]['part'];
type Price = { input: number; cachedInput?: number; output: number };

/** A row of the form, identified by its number; the last row is for an unlisted model. */
export type PriceRow = { model: string; set: Price | null; listed: Price | null };

/** A changed price; `undefined` removes it from the overlay. */
type PriceChange = { model: string; path: string; value: Price | undefined };

export const fieldOf = (row: number, part: PricePart | 'model') => `${row}.${part}`;

/** Rows for the models in use, then for those that only the settings have a price for. */
export function priceRows(
  models: readonly ModelPrice[],
  config: Record<string, unknown>,
): PriceRow[] {
  const prices = (config['prices'] ?? {}) as Record<string, Price>;
  const named = new Set(models.map(({ model }) => model));
  const more = Object.keys(prices).filter((model) => !named.has(model));
  return [
    ...models.map(({ model, price, from }) => ({
      model,
      set: Object.hasOwn(prices, model) ? (prices[model] ?? null) : null,
      listed: Object.hasOwn(prices, model) || from === null ? null : price,
    })),
    ...more.toSorted().map((model) => ({ model, set: prices[model] ?? null, listed: null })),
  ];
}

/** One number of a price as the text of its field; empty: none. */
export const priceText = (price: Price | null, part: PricePart) => String(price?.[part] ?? '');

/** Why a typed value is no valid price, and the name of the field to correct. */
export class PriceRefused extends Error {
  readonly field: string;
  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** The changed prices. Throws `PriceRefused` for invalid values. */
export function priceChanges(
  rows: readonly PriceRow[],
  textOf: (name: string) => string,
): PriceChange[] {
  const all = [...rows, { model: textOf(fieldOf(rows.length, 'model')), set: null }];
  return all.flatMap(({ model, set }, row): PriceChange[] => {
    const texts = PRICE_PARTS.map(({ part }) => textOf(fieldOf(row, part)));
    const isSame = PRICE_PARTS.every(({ part }, at) => texts[at] === priceText(set, part));
    if (isSame) return [];
    const path = `prices.${model}`;
    if (texts.every((text) => text === '')) return [{ model, path, value: undefined }];
    if (model === '') {
      throw new PriceRefused(fieldOf(row, 'model'), 'Name the model that the price is for.');
    }
    const [input, cachedInput, output] = texts.map((text, at) => figure({ model, row }, text, at));
    if (input === undefined || output === undefined) {
      throw new PriceRefused(
        fieldOf(row, input === undefined ? 'input' : 'output'),
        `${model} needs a price for input and for output; 0 means free.`,
      );
    }
    // Every number is set explicitly, since the base file's would apply in place of one that is
    // left out.
    return [{ model, path, value: { input, cachedInput: cachedInput ?? input, output } }];
  });
}

function figure(
  { model, row }: { model: string; row: number },
  text: string,
  at: number,
): number | undefined {
  if (text === '') return undefined;
  if (/^(\d+\.?\d*|\.\d+)$/.test(text)) return Number(text);
  const { part, label } = PRICE_PARTS[at] ?? PRICE_PARTS[0];
  throw new PriceRefused(
    fieldOf(row, part),
    `"${text}" is no price (${model}, ${label.toLowerCase()}). Write US dollars as digits with a point, for example 1.25.`,
  );
}

export function unpricedModels(models: readonly ModelPrice[]): string[] {
  return models.filter(({ price }) => price === null).map(({ model }) => model);
}

/** Usage that a cost budget cannot count, as text; null: it counts everything. */
export function uncountedText(models: readonly ModelPrice[]): string | null {
  const missing = unpricedModels(models);
  if (missing.length === 0) return null;
  return missing.length === models.length
    ? 'No model in use has a price, so this limit cannot take effect.'
    : `The work of ${missing.join(', ')} has no price and does not count.`;
}
