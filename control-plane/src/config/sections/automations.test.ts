import { describe, expect, it } from 'vitest';
import { AlertsSection } from './alerts.ts';
import { AutomationsSection } from './automations.ts';
import { NotificationsSection } from './notifications.ts';

const nightly = { name: 'nightly', schedule: '0 4 * * *', mode: 'refresh' };
const problems = (list: unknown) =>
  AutomationsSection.safeParse(list).error?.issues.map((issue) => issue.path.join('.')) ?? [];

describe('automations', () => {
  it('are refused where they could never run, and say where', () => {
    expect(problems([nightly])).toEqual([]);
    for (const schedule of [
      '61 * * * *',
      '* * * * * *',
      '0 0 30 2 *',
      'every day',
      '* * * *',
      '2030-01-01T00:00:00',
    ]) {
      expect(problems([{ ...nightly, schedule }])).toEqual(['0.schedule']);
    }
    expect(problems([{ ...nightly, timeZone: 'Mars/Olympus' }])).toEqual(['0.timeZone']);
    expect(problems([{ ...nightly, mode: 'report' }])).toEqual(['0.prompt']);
    expect(problems([nightly, nightly])).toEqual(['1.name']);
    expect(problems([{ ...nightly, name: 'a/b' }])).toEqual(['0.name']);
  });
});

describe('channels and rules', () => {
  it('are told apart by name, and hold what their kind needs', () => {
    const chat = { type: 'chat', name: 'team', webhookUrl: 'https://chat.example/x' };
    const channels = (...list: unknown[]) =>
      NotificationsSection.safeParse({ channels: list }).success;
    expect(channels(chat)).toBe(true);
    expect(channels(chat, chat)).toBe(false);
    expect(channels({ ...chat, type: 'webhook' })).toBe(false);
    expect(channels({ ...chat, type: 'webhook', secret: '$SECRET:S' })).toBe(true);
    expect(channels({ ...chat, webhookUrl: 'file:///etc/passwd' })).toBe(false);
    const rules = (condition: unknown) =>
      AlertsSection.safeParse({ rules: [{ name: 'a', condition, threshold: 1 }] }).success;
    expect(rules({ event: 'issue.failed' })).toBe(true);
    expect(rules({ gauge: 'tokens_today' })).toBe(true);
    expect(rules({})).toBe(false);
    expect(rules({ event: 'issue.failed', gauge: 'tokens_today' })).toBe(false);
  });
});
