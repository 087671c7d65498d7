import { z } from 'zod';

const DAY_MS = 86_400_000;

const Condition = z
  .strictObject({
    event: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('Type of event that is counted, for example attempt.ended.'),
    outcome: z.string().max(100).optional().describe('Counts only events of this outcome.'),
    failureKind: z.string().max(100).optional().describe('Counts only events of this kind.'),
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
  windowMs: z
    .int()
    .min(60_000)
    .max(7 * DAY_MS)
    .default(3_600_000)
    .describe('How far back events and attempts count.'),
  cooldownMs: z
    .int()
    .min(0)
    .max(30 * DAY_MS)
    .default(3_600_000)
    .describe('How long it stays silent after it fired; restarts do not shorten it.'),
  severity: z.enum(['info', 'critical']).default('info').describe('Shown with the alert.'),
  channels: z
    .array(z.string().min(1).max(100))
    .max(50)
    .optional()
    .describe('Verbose channels that get it; left out: all of them.'),
});

/** `alerts.*`: rules over events and measurements. */
export const AlertsSection = z.strictObject({
  rules: z
    .array(Rule)
    .max(100)
    .superRefine((rules, context) => {
      const names = rules.map((rule) => rule.name);
      for (const [index, name] of names.entries()) {
        if (names.indexOf(name) === index) continue;
        const message = `a rule is named ${name} already`;
        context.addIssue({ code: 'custom', path: [index, 'name'], message });
      }
    })
    .default([])
    .describe('When to say that something is wrong.'),
});

/** One configured rule. */
export type AlertRule = z.output<typeof Rule>;
