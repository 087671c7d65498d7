import { isStrongEnough, levelWith } from '@switchyard/shared/sandbox/isolation-level';
import type { RequiredIsolation } from '@switchyard/shared/sandbox/isolation-level';
import type { RunnerRow } from '../../db/schema/runners/runners.ts';

/** What `engine.sandbox` asks of whoever runs an attempt. */
type Wanted = { isolation: RequiredIsolation; runtime?: string | undefined };

/**
 * What a runner lacks of the isolation that is asked for, in words; null when it has it. One that
 * does not tell its levels is offered work and judges itself. Pure.
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
