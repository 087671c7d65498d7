import { EVENT_TYPES, type EventType } from '@switchyard/shared/api/event-type';
import type { AttemptOutcome } from '@switchyard/shared/api/work/attempt';
import { type Row, type RowField, rowsAt, type TextAt } from '../config/rows/row-fields.ts';

/** Path of the alert rules in the configuration. */
export const RULES_PATH = 'alerts.rules';

const isOfEvents = (textAt: TextAt) => textAt('condition.gauge') === '';
const OUTCOMES = ['completed', 'failed', 'oom', 'stalled', 'cancelled'] satisfies AttemptOutcome[];
const TYPES: ReadonlySet<string> = new Set(EVENT_TYPES);
/** The event types that the form suggests: those that people are notified about most. */
const EVENTS: EventType[] = [
  ...(['attempt.ended', 'attempt.failover', 'issue.completed', 'issue.failed'] as const),
  ...(['issue.blocked', 'issue.retrying', 'request.asked', 'request.expired'] as const),
  ...(['pull_request.opened', 'pull_request.closed', 'runner.disconnected'] as const),
  ...(['webhook.dead', 'config.changed'] as const),
];

/** The fields of an alert rule's form. */
export function ruleFields(config: Record<string, unknown>): RowField[] {
  const channels = channelNames(config);
  return [
    { path: 'name', label: 'Name', kind: 'text', required: true, placeholder: 'many failures' },
    {
      path: 'severity',
      label: 'Severity',
      kind: 'choice',
      options: [
        ['info', 'Info'],
        ['critical', 'Critical'],
      ],
    },
    {
      path: 'condition.gauge',
      label: 'Watches',
      kind: 'choice',
      isExclusive: true,
      options: [
        ['', 'How often something happens'],
        ['queue_age_ms', 'Longest wait for a slot, in milliseconds'],
        ['runners_connected', 'Connected runners'],
        ['webhooks_dead', 'Webhook deliveries that were given up'],
        ['effects_dead', 'Outgoing calls that were given up'],
        ['spent_usd_today', 'Cost today, in US dollars'],
        ['tokens_today', 'Tokens today'],
        ['success_rate', 'Success rate of attempts, 0 to 1'],
      ],
    },
    {
      path: 'condition.event',
      label: 'Type of event',
      kind: 'name',
      required: true,
      isExclusive: true,
      proposals: EVENTS,
      placeholder: 'attempt.ended',
      appliesTo: isOfEvents,
    },
    {
      path: 'condition.outcome',
      label: 'Only with the outcome',
      kind: 'name',
      isExclusive: true,
      proposals: OUTCOMES,
      hint: 'Empty: any.',
      appliesTo: isOfEvents,
    },
    {
      path: 'condition.failureKind',
      label: 'Only with the kind of failure',
      kind: 'name',
      isExclusive: true,
      hint: 'Empty: any.',
      appliesTo: isOfEvents,
    },
    {
      path: 'condition.comparison',
      label: 'Fires when it is',
      kind: 'choice',
      options: [
        ['at_least', 'At least the threshold'],
        ['at_most', 'At most the threshold'],
      ],
    },
    { path: 'threshold', label: 'Threshold', kind: 'number', required: true },
    {
      path: 'windowMs',
      label: 'Looks back (minutes)',
      kind: 'minutes',
      hint: 'For events and the success rate.',
      appliesTo: (textAt) => isOfEvents(textAt) || textAt('condition.gauge') === 'success_rate',
    },
    {
      path: 'cooldownMs',
      label: 'Silent after it fired (minutes)',
      kind: 'minutes',
    },
    {
      path: 'channels',
      label: 'Channels',
      kind: 'lines',
      wide: true,
      hint: `One name per line. Empty: all verbose channels.${channels.length === 0 ? '' : ` There are: ${channels.join(', ')}.`}`,
    },
    { path: 'enabled', label: 'Enabled', kind: 'switch' },
  ];
}

/** A hint on the current content of the form, shown below the field of a path. */
export function ruleHint(config: Record<string, unknown>) {
  const channels = channelNames(config);
  return (path: string, textAt: TextAt): string | undefined => {
    if (path === 'channels') {
      const named = textAt(path)
        .split('\n')
        .map((line) => line.trim());
      const unknown = named.filter((name) => name !== '' && !channels.includes(name));
      if (unknown.length === 0) return undefined;
      return `There is no channel ${unknown.join(', ')}: nothing is sent there.`;
    }
    const text = textAt(path).trim();
    if (path === 'condition.event' && text !== '' && !TYPES.has(text)) {
      return `There is no event of the type ${text}: the rule never fires.`;
    }
    if (path !== 'threshold' || text === '') return undefined;
    if (textAt('condition.comparison') === 'at_most') {
      return Number(text) < 0 ? 'Nothing is that small, so the rule never fires.' : undefined;
    }
    return Number(text) <= 0
      ? 'Nothing is less than that, so the rule fires each time that it is looked at.'
      : undefined;
  };
}

function channelNames(config: Record<string, unknown>): string[] {
  return rowsAt(config, 'notifications.channels').map(({ name }) => String(name));
}

/** Initial values of a new rule. */
export const NEW_RULE: Row = {
  enabled: true,
  condition: { event: 'attempt.ended', outcome: 'failed', comparison: 'at_least' },
  threshold: 3,
  windowMs: 3_600_000,
  cooldownMs: 3_600_000,
  severity: 'info',
};
