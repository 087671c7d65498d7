import { z } from 'zod';

/** What a rule found. Evaluations with the same finding are one row. */
export const AlertHistoryRow = z
  .object({
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
  })
  .meta({ id: 'AlertHistoryRow' });
export type AlertHistoryRow = z.infer<typeof AlertHistoryRow>;

/** A page, newest first. */
export const AlertHistory = z
  .object({ history: z.array(AlertHistoryRow), total: z.int(), nextCursor: z.string().nullable() })
  .meta({ id: 'AlertHistory' });
