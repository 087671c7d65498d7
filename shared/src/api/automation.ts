import { z } from 'zod';

/** One run of an automation, or why there was none. */
export const AutomationRun = z
  .object({
    runId: z.string(),
    automationName: z.string(),
    mode: z.enum(['implement', 'report', 'refresh']),
    trigger: z
      .enum(['schedule', 'missed', 'manual'])
      .describe('missed: due while the service was down, and made up for.'),
    actor: z.string(),
    status: z.enum(['running', 'completed', 'failed', 'skipped']),
    dueAt: z.iso.datetime(),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable(),
    identifier: z.string().nullable().describe('The issue that it works on.'),
    message: z.string().nullable(),
    report: z.string().nullable().describe("The agent's last message, for mode report."),
  })
  .meta({ id: 'AutomationRun' });
export type AutomationRun = z.infer<typeof AutomationRun>;

/** A configured automation and where its schedule stands. */
export const AutomationState = z
  .object({
    name: z.string(),
    schedule: z.string(),
    timeZone: z.string(),
    mode: z.enum(['implement', 'report', 'refresh']),
    enabled: z.boolean(),
    missedRunPolicy: z.enum(['run_once', 'skip']),
    nextRunAt: z.iso.datetime().nullable(),
    running: z.boolean(),
    lastRun: AutomationRun.nullable(),
  })
  .meta({ id: 'AutomationState' });
export type AutomationState = z.infer<typeof AutomationState>;

export const AutomationList = z
  .object({ automations: z.array(AutomationState) })
  .meta({ id: 'AutomationList' });

/** A page, newest first. */
export const AutomationRunList = z
  .object({ runs: z.array(AutomationRun), total: z.int(), nextCursor: z.string().nullable() })
  .meta({ id: 'AutomationRunList' });
