/**
 * US dollars per million tokens of common models (standard tier and context), used while `prices`
 * has no entry. Providers change prices, so these are dated and may be wrong.
 */
export const LIST_PRICES: {
  /** Date on which the prices were read from the source. */
  readOn: string;
  source: string;
  models: Readonly<Record<string, { input: number; cachedInput: number; output: number }>>;
} = {
  readOn: '2026-11-22',
  source:
    'https://github.com/github/docs/blob/024f6b0f8c266054134f13dd7d122d8b80d25315/data/tables/copilot/models-and-pricing.yml',
  models: {
    'gpt-5.6-sol': { input: 5, cachedInput: 0.5, output: 30 },
    'gpt-5.6-terra': { input: 2, cachedInput: 0.2, output: 12 },
    'gpt-5.6-luna': { input: 0.2, cachedInput: 0.02, output: 1.2 },
    'gpt-5.5': { input: 5, cachedInput: 0.5, output: 30 },
    'gpt-5.4': { input: 2.5, cachedInput: 0.25, output: 15 },
    'gpt-5.4-mini': { input: 0.75, cachedInput: 0.075, output: 4.5 },
    'gpt-5.4-nano': { input: 0.2, cachedInput: 0.02, output: 1.25 },
    'gpt-5.3-codex': { input: 1.75, cachedInput: 0.175, output: 14 },
    'gpt-5-mini': { input: 0.25, cachedInput: 0.025, output: 2 },
  },
};
