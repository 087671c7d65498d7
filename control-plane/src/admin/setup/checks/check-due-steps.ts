import type { SetupStep, SetupStepName } from '@switchyard/shared/api/admin/setup';
import type { Deps } from '../../../deps.ts';
import { isWithin } from '../../../is-within.ts';
import { type CheckedStep, isCheckedStep } from './check-subjects.ts';

/** Steps that only involve one's own machines, which may be checked again soon until they pass. */
const OWN_MACHINES: readonly SetupStepName[] = ['repository', 'runner'];
/** Time until the second check of the same state; each further one waits twice as long. */
const FIRST_PAUSE_MS = 10_000;
const MAX_PAUSE_MS = 600_000;

/**
 * Starts a check of each configured step that is unchecked or failed, so that its state is right
 * when it is read next. An unchanged state is checked ever more rarely, however often it is read.
 */
export function createCheckDueSteps(
  deps: Pick<Deps, 'background' | 'clock'> & { service: Pick<Deps['service'], 'role'> },
  check: (step: SetupStepName) => Promise<unknown>,
): (steps: readonly SetupStep[], unlooked: ReadonlySet<SetupStepName>) => void {
  const begun = new Map<CheckedStep, { standing: string; atMs: number; pauseMs: number }>();
  return (steps, unlooked) => {
    if (deps.service.role === 'standby') return;
    const nowMs = deps.clock.nowMs();
    for (const { step, state, summary } of steps) {
      if (!isCheckedStep(step)) continue;
      if (state === 'todo' || (state === 'done' && !unlooked.has(step))) {
        begun.delete(step);
        continue;
      }
      const isFailed = state === 'failed';
      // The message of a failure may differ each time, so only the state counts.
      const standing = isFailed ? state : summary;
      const firstMs = isFailed && !OWN_MACHINES.includes(step) ? MAX_PAUSE_MS : FIRST_PAUSE_MS;
      const known = begun.get(step);
      // A step that has just failed was checked while it was waiting.
      const last = isFailed || known?.standing === standing ? known : undefined;
      const pauseMs = Math.max(firstMs, last?.pauseMs ?? 0);
      if (last !== undefined && isWithin(nowMs, last.atMs, pauseMs)) {
        last.standing = standing;
        continue;
      }
      const nextMs = last === undefined ? firstMs : Math.min(pauseMs * 2, MAX_PAUSE_MS);
      begun.set(step, { standing, atMs: nowMs, pauseMs: nextMs });
      deps.background.run(`check of the setup: ${step}`, async () => void (await check(step)));
    }
  };
}
