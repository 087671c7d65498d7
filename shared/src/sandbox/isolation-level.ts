import { z } from 'zod';

/**
 * How strong an isolation really is. `process`: none. `open_container`: a container whose network is
 * not closed or whose system calls are not filtered. `kernel`: one with a kernel of its own.
 */
export const IsolationLevel = z.enum(['process', 'open_container', 'container', 'kernel']);
export type IsolationLevel = z.infer<typeof IsolationLevel>;

/** `container`: a locked one without network. `kernel`: one with a kernel of its own (runsc, kata). */
export const RequiredIsolation = z.enum(['process', 'container', 'kernel']);
export type RequiredIsolation = z.infer<typeof RequiredIsolation>;

/** What a runner gives by default, and what with each container runtime of its daemon, by name. */
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

/** Whether one level is at least as strong as what is asked for. */
export function isStrongEnough(level: IsolationLevel, required: RequiredIsolation): boolean {
  return STRENGTH[level] >= STRENGTH[required];
}

/** What a runner gives with a runtime, or by default; null: it has no such runtime. */
export function levelWith(
  levels: IsolationLevels,
  runtime: string | undefined,
): IsolationLevel | null {
  if (runtime === undefined) return levels.default;
  return Object.hasOwn(levels.runtimes, runtime) ? (levels.runtimes[runtime] ?? null) : null;
}
