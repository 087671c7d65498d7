import { describe, expect, it } from 'vitest';
import { rulesOf } from './rules-of.ts';

describe('alert rules of a configuration', () => {
  it('are said in words', () => {
    const rules = [
      {
        name: 'many failures',
        enabled: true,
        condition: { event: 'attempt.ended', failureKind: 'agent_error', comparison: 'at_least' },
        threshold: 3,
        windowMs: 600_000,
        severity: 'critical',
      },
      {
        name: 'nobody works',
        enabled: false,
        condition: { gauge: 'runners_connected', comparison: 'at_most' },
        threshold: 0,
      },
    ];
    expect(rulesOf({ alerts: { rules } })).toEqual([
      {
        name: 'many failures',
        enabled: true,
        severity: 'critical',
        condition: 'at least 3 × attempt.ended (agent error) within 10 min',
      },
      {
        name: 'nobody works',
        enabled: false,
        severity: 'info',
        condition: 'runners connected is at most 0',
      },
    ]);
  });

  it('are none where there is something else', () => {
    expect(rulesOf({})).toEqual([]);
    expect(rulesOf({ alerts: { rules: [null, 'x', {}] } })).toEqual([]);
  });
});
