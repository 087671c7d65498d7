import { hostname } from 'node:os';
import { processLives } from '@switchyard/shared/host/process-lives';
import type { Deps } from '../../deps.ts';
import { beginWithClock, followClock } from '../../coordinator/follow-clock.ts';
import { createLeadership } from '../../jobs/leadership/create-leadership.ts';
import { beginRecovery } from '../../runners/recovery/begin-recovery.ts';

/**
 * Acquires or renews the leadership for this process and applies its changes. A holder on this host
 * whose process has ended is succeeded at once, any other when its lease expires.
 */
export function createLead(
  deps: Pick<Deps, 'db' | 'clock' | 'logger' | 'config' | 'service'>,
  onLost: () => void,
) {
  const holder = `${hostname()} ${process.pid}`;
  const hold = createLeadership(deps, { holder, holderGone });
  let follows: string | null = null;
  return async (): Promise<{ leads: boolean; nextCheckAtMs: number }> => {
    const { leads, nextCheckInMs, leaderId } = await hold();
    const was = deps.service.role;
    if (leads && was === 'standby') {
      await beginWithClock(deps);
      deps.service.leadsSinceMs = deps.clock.nowMs();
      // The former leader may have changed the configuration just now.
      deps.config.expire();
      await beginRecovery(deps);
    } else if (leads) {
      await followClock(deps);
    }
    deps.service.role = leads ? 'active' : 'standby';
    if (!leads && was === 'active') onLost();
    if (!leads && leaderId !== follows) {
      deps.logger.info('standby: another instance leads', { leaderId });
    }
    follows = leads ? null : leaderId;
    return { leads, nextCheckAtMs: deps.clock.nowMs() + nextCheckInMs };
  };
}

/** Whether the holder's process has ended; false for another host, where this is not known. */
function holderGone(holder: string): boolean {
  const [host, pidText] = holder.split(' ');
  const pid = Number(pidText);
  if (host !== hostname() || !Number.isInteger(pid) || pid <= 1 || pid === process.pid)
    return false;
  return !processLives(pid);
}
