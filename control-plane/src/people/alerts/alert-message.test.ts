import { expect, it } from 'vitest';
import type { AlertRule } from '../../config/sections/alerts.ts';
import { alertMessage } from './alert-message.ts';

it('a sum of cost says what it lacks', () => {
  const rule: AlertRule = {
    enabled: true,
    cooldownMs: 0,
    name: 'spending',
    severity: 'critical',
    threshold: 5,
    windowMs: 60_000,
    condition: { gauge: 'spent_usd_today', comparison: 'at_least' },
  };
  expect(alertMessage(rule, 6, 0)).toBe('spent_usd_today: 6 (limit: at least 5)');
  expect(alertMessage(rule, 6, 300)).toBe(
    'spent_usd_today: 6, and 300 tokens without a price (limit: at least 5)',
  );
});
