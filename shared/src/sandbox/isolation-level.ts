import { z } from 'zod';

/**
 * Actual strength of an isolation. `process`: none. `open_container`: a container with an open
 * network or unfiltered system calls. `kernel`: a container with its own kernel.
 */
export const IsolationLevel = z.enum(['process', 'open_container', 'container', 'kernel']);
export type IsolationLevel = z.infer<typeof IsolationLevel>;

/**
 * `container`: a locked container without network. `kernel`: one with its own kernel (runsc, kata).
 */
export const RequiredIsolation = z.enum(['process', 'container', 'kernel']);
export type RequiredIsolation = z.infer<typeof RequiredIsolation>;

/**
 * Isolation that a runner provides by default, and with each container runtime of its daemon, by
 * name.
 */
export const IsolationLevels = z.object({
  default: IsolationLevel,
  runtimes: z
    .record(z.string().max(100), IsolationLevel)
    .refine((runtimes) => Object.keys(runtimes).length <= MAX_RUNTIMES, { message: 'too many' }),
});
export type IsolationLevels = z.infer<typeof IsolationLevels>;

export const MAX_RUNTIMES = 32;

const STRENGTH: Record<IsolationLevel, number> = {
  process: 0,
  open_container: 1,
  container: 2,
  kernel: 3,
};

/** Whether a level is at least as strong as the required one. */
export function isStrongEnough(level: IsolationLevel, required: RequiredIsolation): boolean {
  return STRENGTH[level] >= STRENGTH[required];
}

/** Isolation that a runner provides with a runtime, or by default; null: it lacks that runtime. */
export function levelWith(
  levels: IsolationLevels,
  runtime: string | undefined,
): IsolationLevel | null {
  if (runtime === undefined) return levels.default;
  return Object.hasOwn(levels.runtimes, runtime) ? (levels.runtimes[runtime] ?? null) : null;
}
