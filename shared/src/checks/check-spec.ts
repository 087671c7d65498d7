import { z } from 'zod';

export const MAX_CHECKS = 20;
export const MAX_CHECK_OUTPUT_CHARS = 4_096;
export const MAX_CHANGED_FILES = 20;
export const DEFAULT_CHECK_TIMEOUT_MS = 600_000;

/** Name of a check: one line of letters, digits, blanks and `. _ : / -`. */
export const CheckName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9 ._:/-]{0,63}$/, 'must be 1 to 64 of A-Z a-z 0-9 space . _ : / -');

/** Run as `sh -lc COMMAND` in the workspace. */
export const CheckCommand = z
  .string()
  .trim()
  .min(1)
  .max(4_000)
  .regex(/^(?:\P{Cc}|[\n\t])*$/u, 'must have no control characters but line break and tab');

export const CheckTimeoutMs = z.int().min(1_000).max(3_600_000);

/** A command that finished work must pass, in the form that a runner receives. */
export const CheckSpec = z.object({
  name: z.string().max(64),
  command: z.string().max(4_000),
  timeoutMs: CheckTimeoutMs,
});
export type CheckSpec = z.infer<typeof CheckSpec>;

/** `not_run`: the check could not be run, or the attempt ended before its result. */
export const CheckOutcome = z.enum(['passed', 'failed', 'timed_out', 'not_run']);
export type CheckOutcome = z.infer<typeof CheckOutcome>;
