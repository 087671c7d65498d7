import type { AlertRule } from '../../config/sections/alerts.ts';

/** What a rule found, in one line; a cost mentions the tokens that it does not include. */
export function alertMessage(rule: AlertRule, value: number | null, unpriced: number): string {
  const { event, outcome, failureKind, gauge, comparison } = rule.condition;
  const only = [outcome, failureKind].filter((word) => word !== undefined).join(', ');
  const what = event === undefined ? String(gauge) : `${event}${only === '' ? '' : ` (${only})`}`;
  const found = value === null ? 'nothing to measure' : numberText(value);
  const window =
    event !== undefined || gauge === 'success_rate'
      ? ` in ${Math.round(rule.windowMs / 60_000)} min`
      : '';
  const limit = `${comparison === 'at_least' ? 'at least' : 'at most'} ${numberText(rule.threshold)}`;
  const lacks = unpriced === 0 ? '' : `, and ${unpriced} tokens without a price`;
  return `${what}${window}: ${found}${lacks} (limit: ${limit})`;
}

function numberText(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(3).replace(/0+$/, '');
}
