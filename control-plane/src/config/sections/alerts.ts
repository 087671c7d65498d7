import { z } from 'zod';
import { whole } from '../bounds/whole.ts';
import { filledText, listOf, text } from '../bounds/text.ts';
import { uniqueNames } from '../bounds/unique-names.ts';

const DAY_MS = 86_400_000;

const Condition = z
  .strictObject({
    event: filledText(100)
      .optional()
      .describe('Type of event that is counted, for example attempt.ended.'),
    outcome: text(100).optional().describe('Counts only events of this outcome.'),
    failureKind: text(100).optional().describe('Counts only events of this kind.'),
    gauge: z
      .enum([
        'queue_age_ms',
        'runners_connected',
        'webhooks_dead',
        'effects_dead',
        'spent_usd_today',
        'tokens_today',
        'success_rate',
      ])
      .optional()
      .describe('Value that is looked at instead of events.'),
    comparison: z
      .enum(['at_least', 'at_most'])
      .default('at_least')
      .describe('Which side of the threshold is bad.'),
  })
  .superRefine((condition, context) => {
    if ((condition.event === undefined) === (condition.gauge === undefined)) {
      context.addIssue({ code: 'custom', message: 'needs either an event or a gauge' });
    }
  });

const Rule = z.strictObject({
  name: z.string().trim().min(1).max(100).describe('Name of the rule; no two are the same.'),
  enabled: z.boolean().default(true).describe('Whether the rule is looked at.'),
  condition: Condition.describe('What is counted or measured.'),
  threshold: z.number().min(-1e12).max(1e12).describe('Count or value at which it fires.'),
  windowMs: whole(60_000, 7 * DAY_MS)
    .default(3_600_000)
    .describe('How far back events and attempts count.'),
  cooldownMs: whole(0, 30 * DAY_MS)
    .default(3_600_000)
    .describe('How long it stays silent after it fired; restarts do not shorten it.'),
  severity: z.enum(['info', 'critical']).default('info').describe('Shown with the alert.'),
  channels: listOf(filledText(100), 50)
    .optional()
    .describe('Verbose channels that get it; left out: all of them.'),
});

/** `alerts.*`: rules over events and measurements. */
export const AlertsSection = z.strictObject({
  rules: listOf(Rule, 100)
    .superRefine(uniqueNames('a rule'))
    .default([])
    .describe('When to say that something is wrong.'),
});

/** One configured rule. */
export type AlertRule = z.output<typeof Rule>;
