import { issues } from './mock-issues.ts';
import { ago } from './mock-time.ts';

const DAY_MS = 86_400_000;
const STATES = ['Backlog', 'Todo', 'In Progress', 'In Review', 'Done', 'Canceled'];

/** Days of a team that works on weekdays. */
export function usageDays(days: number) {
  return Array.from({ length: days }, (_, position) => {
    const date = new Date(Date.now() - (days - 1 - position) * DAY_MS);
    const rest = [0, 6].includes(date.getUTCDay());
    const wave = 1 + Math.sin(position * 1.7) / 2;
    return {
      day: date.toISOString().slice(0, 10),
      tokens: Math.round((rest ? 60_000 : 620_000) * wave),
      costUsd: (rest ? 0.11 : 1.64) * wave,
      completed: Math.round((rest ? 1 : 9) * wave),
      delivered: Math.round((rest ? 1 : 8) * wave),
      continued: 0,
      failed: Math.round((rest ? 0 : 1.6) * wave),
      cancelled: 0,
    };
  });
}

export function observability() {
  const signal = (name: string, status: string, message: string, since: string | null = null) => ({
    name,
    status,
    message,
    since,
  });
  return {
    generated_at: ago(0),
    status: 'degraded',
    signals: [
      signal('database', 'ok', 'answers in 1 ms'),
      signal('tracker', 'ok', `last asked ${ago(0.1)}`),
      signal('runners', 'ok', '2 of 3 connected'),
      signal('webhooks tracker', 'ok', `last delivery at ${ago(3)}`),
      signal(
        'webhooks codehost',
        'degraded',
        'no delivery for long; polling at its normal pace',
        ago(95),
      ),
      signal('outbox', 'ok', 'nothing waits'),
      signal('configuration', 'ok', 'WORKFLOW.md is in force'),
      signal('dispatch', 'ok', 'work starts as it comes'),
    ],
    metrics: [],
  };
}

export function transitions() {
  return {
    transitions: Object.fromEntries(
      issues.map((issue) => [issue.identifier, STATES.filter((state) => state !== issue.state)]),
    ),
    log: [],
    total: 0,
    nextCursor: null,
    unavailable: [],
  };
}
