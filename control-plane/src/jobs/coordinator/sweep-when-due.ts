import type { Deps } from '../../deps.ts';
import { sweepRetention } from '../sweep-retention.ts';
import { setTimer, type Timers } from './timers.ts';

const EVERY_MS = 3_600_000;
/** Soon again while a table still has more than one sweep deletes. */
const WHILE_MORE_MS = 5_000;

/** Deletes old rows, a little at a time, about every hour. */
export async function sweepWhenDue(
  deps: Pick<Deps, 'db' | 'clock' | 'config'>,
  timers: Timers,
): Promise<void> {
  const nowMs = deps.clock.nowMs();
  if (timers.of('retention').dueAtMs > nowMs) return;
  const config = await deps.config.load();
  const more = await sweepRetention(deps, config.retention);
  await deps.db.batch([setTimer(deps.db, 'retention', nowMs + (more ? WHILE_MORE_MS : EVERY_MS))]);
}
