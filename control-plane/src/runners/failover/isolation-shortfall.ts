import { isStrongEnough, levelWith } from '@switchyard/shared/sandbox/isolation-level';
import type { RequiredIsolation } from '@switchyard/shared/sandbox/isolation-level';
import type { RunnerRow } from '../../db/schema/runners/runners.ts';

/** What `engine.sandbox` requires of the runner of an attempt. */
type Wanted = { isolation: RequiredIsolation; runtime?: string | undefined };

/**
 * What a runner lacks of the required isolation, for people; null when it lacks nothing. A runner
 * that does not report its levels gets offers and declines them itself. Pure.
 */
export function isolationShortfall(
  runner: Pick<RunnerRow, 'isolation' | 'isolation_levels'>,
  { isolation, runtime }: Wanted,
): string | null {
  if (isolation === 'process' && runtime === undefined) return null;
  const levels = runner.isolation_levels;
  if (levels === null && runner.isolation !== 'process') return null;
  const level = levels === null ? 'process' : levelWith(levels, runtime);
  if (level === null) return `has the container runtime ${runtime} (engine.sandbox.runtime)`;
  if (isStrongEnough(level, isolation)) return null;
  return `isolates by at least "${isolation}" (engine.sandbox.isolation)`;
}
