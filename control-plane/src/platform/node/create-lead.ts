import { hostname } from 'node:os';
import { processLives } from '@switchyard/shared/host/process-lives';
import type { Deps } from '../../deps.ts';
import { beginWithClock, followClock } from '../../coordinator/follow-clock.ts';
import { createLeadership } from '../../jobs/leadership/create-leadership.ts';
import type { Logger } from '../../ports/ports.ts';
import { beginRecovery } from '../../runners/recovery/begin-recovery.ts';

/**
 * Takes or keeps the leadership for this process; what changes with it happens here. A holder on
 * this host whose process is gone is succeeded at once, any other only when its time is up.
 */
export function createLead(deps: Deps, logger: Logger, onLost: () => void) {
  const holder = `${hostname()} ${process.pid}`;
  const hold = createLeadership(deps, { holder, holderGone });
  let follows: string | null = null;
  return async (): Promise<{ leads: boolean; nextPollAtMs: number }> => {
    const { leads, nextCheckInMs, leaderId } = await hold();
    const was = deps.service.role;
    if (leads && was === 'standby') {
      await beginWithClock(deps);
      deps.service.leadsSinceMs = deps.clock.nowMs();
      // The one that led before may have changed it just now.
      deps.config.expire();
      await beginRecovery(deps);
    } else if (leads) {
      await followClock(deps);
    }
    deps.service.role = leads ? 'active' : 'standby';
    if (!leads && was === 'active') onLost();
    if (!leads && leaderId !== follows) {
      logger.info('standby: another instance leads', { leaderId });
    }
    follows = leads ? null : leaderId;
    return { leads, nextPollAtMs: deps.clock.nowMs() + nextCheckInMs };
  };
}

/** Only a holder on this very host can be known to be gone. */
function holderGone(holder: string): boolean {
  const [host, pidText] = holder.split(' ');
  const pid = Number(pidText);
  if (host !== hostname() || !Number.isInteger(pid) || pid <= 1 || pid === process.pid)
    return false;
  return !processLives(pid);
}
