import { Cron, CronPattern } from 'croner';
import { z } from 'zod';
import { whole } from '../bounds/whole.ts';
import { filledText, listOf, text } from '../bounds/text.ts';
import { uniqueNames } from '../bounds/unique-names.ts';

const Name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'letters, digits, dot, dash and underscore only')
  .max(100);

const Automation = z
  .strictObject({
    name: Name.describe('Name in paths and in the history; no two are the same.'),
    schedule: filledText(200).describe('Cron expression of five fields.'),
    timeZone: text(100)
      .default('UTC')
      .refine(isTimeZone, 'is no time zone')
      .describe('IANA time zone of the schedule, for example Europe/Berlin.'),
    mode: z
      .enum(['implement', 'report', 'refresh'])
      .describe('implement: makes an issue and works on it; report: reads and reports.'),
    enabled: z.boolean().default(true).describe('Whether the schedule runs it.'),
    title: z.string().trim().min(1).max(200).optional().describe('Title; left out: the name.'),
    prompt: text(50_000).optional().describe('What to do; needed but for refresh.'),
    labels: listOf(filledText(200), 50).default([]).describe('Labels of the issue.'),
    priority: whole(0, 4).optional().describe('Priority of the issue.'),
    repo: text(2_048)
      .optional()
      .describe('Repository of a report: the url of one of `repos`; left out: by its labels.'),
    missedRunPolicy: z
      .enum(['run_once', 'skip'])
      .default('run_once')
      .describe('After downtime: run once if not too late, or wait for the next time.'),
    missedRunGraceMs: whole(0, 604_800_000)
      .default(3_600_000)
      .describe('How late a missed run may still start.'),
  })
  .superRefine((automation, context) => {
    const problem = scheduleProblem(automation.schedule, automation.timeZone);
    if (problem !== null)
      context.addIssue({ code: 'custom', path: ['schedule'], message: problem });
    if (automation.mode === 'refresh' || (automation.prompt ?? '').trim() !== '') return;
    const message = `mode ${automation.mode} needs a prompt`;
    context.addIssue({ code: 'custom', path: ['prompt'], message });
  });

/** `automations[]`: work that is started by a schedule. */
export const AutomationsSection = listOf(Automation, 200).superRefine(uniqueNames('an automation'));

/** One configured automation. */
export type Automation = z.output<typeof Automation>;

function scheduleProblem(schedule: string, timeZone: string): string | null {
  if (!isTimeZone(timeZone)) return null;
  try {
    const options = { timezone: timeZone, mode: '5-part' } as const;
    // Cron alone would also accept a date.
    const { pattern } = new CronPattern(schedule, timeZone, options);
    return new Cron(pattern, options).nextRun(new Date(0)) === null ? 'is never due' : null;
  } catch (error) {
    const problem = error instanceof Error ? error.message : 'is no cron expression';
    return problem.replace(/^CronPattern: /, '');
  }
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
