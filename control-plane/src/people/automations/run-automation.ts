import { eq } from 'drizzle-orm';
import type { AutomationRun } from '@switchyard/shared/api/automation';
import { commitChange } from '../../observe/events/commit-change.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { automationRuns } from '../../db/schema/people/automations.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { runRecord } from './run-record.ts';
import { isOverlap, newRun, startRun } from './start-run.ts';

/**
 * Starts a run now, whatever its schedule, even if that is disabled. 404 for an unknown automation,
 * 409 while a run of it is in progress.
 */
export async function runAutomation(
  deps: Pick<Deps, 'db' | 'clock' | 'ids' | 'config' | 'wake'>,
  name: string,
  caller: Caller,
): Promise<AutomationRun> {
  const { automations } = await deps.config.load();
  const automation = automations.find((candidate) => candidate.name === name);
  if (automation === undefined) throw new AppError('not_found', `automation ${name} not found`);
  const nowMs = deps.clock.nowMs();
  const runId = deps.ids.next('arun');
  const run = newRun({
    runId,
    automation,
    trigger: 'manual',
    actor: caller.actor,
    dueAtMs: nowMs,
    nowMs,
  });
  try {
    await commitChange(deps, {
      also: startRun(deps.db, run),
      audit: { caller, operation: 'automation.run', subject: name, details: { runId } },
      nowMs,
    });
  } catch (error) {
    if (!isOverlap(error)) throw error;
    throw new AppError('conflict', `automation ${name} is running`, { reason: 'running' });
  }
  deps.wake();
  const [stored] = await deps.db
    .select()
    .from(automationRuns)
    .where(eq(automationRuns.run_id, runId));
  return runRecord(stored ?? run);
}
