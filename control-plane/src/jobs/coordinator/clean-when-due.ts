import type { Deps } from '../../deps.ts';
import { cleanFinishedWorkspaces } from '../../runners/workspaces/clean-finished-workspaces.ts';
import { setTimer, type Timers } from './timers.ts';

const EVERY_MS = 10_000;
/** Soon again while more workspaces wait than one look removes. */
const WHILE_MORE_MS = 2_000;

/** Looks every 10 s for workspaces whose issue has ended. */
export async function cleanWhenDue(deps: Deps, timers: Timers): Promise<void> {
  const nowMs = deps.clock.nowMs();
  if (timers.of('workspaces').dueAtMs > nowMs) return;
  const more = await cleanFinishedWorkspaces(deps);
  await deps.db.batch([setTimer(deps.db, 'workspaces', nowMs + (more ? WHILE_MORE_MS : EVERY_MS))]);
}
