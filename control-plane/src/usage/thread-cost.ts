import type { TokenUsage } from '@switchyard/shared/api/work/attempt';

export type Price = { input: number; cachedInput?: number; output: number };

const MILLION = 1_000_000;

/** US dollars for a thread's tokens at a price per million tokens; null without a price. */
export function threadCostUsd(tokens: TokenUsage, price: Price | undefined): number | null {
  if (price === undefined) return null;
  const fresh = Math.max(0, tokens.input - tokens.cachedInput);
  const cached = tokens.cachedInput * (price.cachedInput ?? price.input);
  return (fresh * price.input + cached + tokens.output * price.output) / MILLION;
}

/** The UTC day that a moment belongs to, `YYYY-MM-DD`. */
export function utcDay(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10);
}
