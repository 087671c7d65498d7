import { z } from 'zod';
import { CheckOutcome, MAX_CHECKS } from './check-spec.ts';
import { namedObject } from '../named-object.ts';

/**
 * A check declared in the repository's entry under `repos`, with its result once the runner has run
 * it on the attempt's work. Output and file names are untrusted texts.
 */
export const AttemptCheck = namedObject('AttemptCheck', {
  name: z.string(),
  command: z.string(),
  state: z
    .enum(['pending', 'running', ...CheckOutcome.options])
    .describe('pending: the attempt has not come to it; not_run: it ended before it.'),
  exitCode: z.int().nullable().describe('Null: it did not end by itself.'),
  durationMs: z.int().nullable().describe('Of the last run.'),
  runs: z.int().describe('On this commit: one that fails is run once more. 0: none.'),
  output: z.string().nullable().describe('The end of what the last run printed.'),
  changedFiles: z
    .array(z.string())
    .describe('Tracked or new files that it changed; they were put back.'),
  message: z.string().nullable().describe('Why it was not run, or what stopped it.'),
  commitSha: z.string().nullable().describe('The commit that it ran on.'),
  startedAt: z.iso.datetime().nullable(),
  endedAt: z.iso.datetime().nullable(),
});
export type AttemptCheck = z.infer<typeof AttemptCheck>;

/** The declared checks of an attempt, in the order in which they run. */
export const AttemptCheckList = namedObject('AttemptCheckList', {
  checks: z.array(AttemptCheck).max(MAX_CHECKS),
});
export type AttemptCheckList = z.infer<typeof AttemptCheckList>;
