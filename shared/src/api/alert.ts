import { z } from 'zod';
import { namedObject } from '../named-object.ts';

/** One finding of an alert rule. Evaluations with the same finding share one row. */
export const AlertHistoryRow = namedObject('AlertHistoryRow', {
  id: z.string(),
  ruleName: z.string(),
  kind: z
    .enum(['evaluation', 'trigger', 'cooldown'])
    .describe('cooldown: it would have fired, but had done so shortly before.'),
  severity: z.enum(['info', 'critical']),
  value: z.number().nullable().describe('Null when there was nothing to measure.'),
  threshold: z.number(),
  evaluations: z.int().describe('How many this row stands for.'),
  message: z.string(),
  at: z.iso.datetime(),
  lastAt: z.iso.datetime(),
});
export type AlertHistoryRow = z.infer<typeof AlertHistoryRow>;

/** One page of the alert history, newest first. */
export const AlertHistory = namedObject('AlertHistory', {
  history: z.array(AlertHistoryRow),
  total: z.int(),
  nextCursor: z.string().nullable(),
});
