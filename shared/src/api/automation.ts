import { z } from 'zod';
import { namedObject } from '../named-object.ts';

/** One run of an automation, or the reason why a due run was skipped. */
export const AutomationRun = namedObject('AutomationRun', {
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
});
export type AutomationRun = z.infer<typeof AutomationRun>;

/** A configured automation and the state of its schedule. */
export const AutomationState = namedObject('AutomationState', {
  name: z.string(),
  schedule: z.string(),
  timeZone: z.string(),
  mode: z.enum(['implement', 'report', 'refresh']),
  enabled: z.boolean(),
  missedRunPolicy: z.enum(['run_once', 'skip']),
  nextRunAt: z.iso.datetime().nullable(),
  running: z.boolean(),
  lastRun: AutomationRun.nullable(),
});
export type AutomationState = z.infer<typeof AutomationState>;

export const AutomationList = namedObject('AutomationList', {
  automations: z.array(AutomationState),
});

/** One page of runs, newest first. */
export const AutomationRunList = namedObject('AutomationRunList', {
  runs: z.array(AutomationRun),
  total: z.int(),
  nextCursor: z.string().nullable(),
});
