import type { AttemptContext } from './attempt-deps.ts';
import { Companions } from './companions/companions.ts';
import { keepCheckpoints } from './keep-checkpoints.ts';
import { hideFolders } from './mounts/hide-folders.ts';
import { revokeAccess } from './session/grant-access.ts';
import { mountHome } from './session/mount-home.ts';
import { removeEngineState } from './session/remove-engine-state.ts';
import { serveTools } from './session/serve-tools.ts';
import { shareSession } from './session/share-session.ts';
import { useSetupCache } from './steps/use-setup-cache.ts';
import { watchDiskQuota } from './watch/disk-quota.ts';
import { followLiveness } from './watch/follow-liveness.ts';
import { followUsage } from './watch/follow-usage.ts';
import { followLoad } from './watch/follow-load.ts';
import { reportOoms } from './watch/report-ooms.ts';
import { watchEgress } from './watch/watch-egress.ts';
import { ModelWatch } from './watch/model-watch.ts';

/**
 * All that accompanies an attempt, in the order in which each moment reaches it. A comment says
 * where the order matters.
 */
export function createCompanions(context: AttemptContext): {
  companions: Companions;
  model: ModelWatch;
} {
  const model = new ModelWatch(context);
  const list = [
    // First: no time limit may run while a later one waits at the end of a turn or of the attempt.
    followLiveness(context),
    model,
    followUsage(context, model),
    watchEgress(context),
    useSetupCache(context),
    // Before the home is filled, because the attempt may end here.
    hideFolders(context),
    reportOoms(context),
    followLoad(context),
    // Ends before the home, which it measures.
    watchDiskQuota(context),
    // Removes secret files before a checkpoint reads the home, and even if the tools fail.
    mountHome(context),
    // Operators ask the engine's own session, so it is shared before tools wrap it.
    shareSession(context),
    serveTools(context),
    removeEngineState(context),
    // Before the last checkpoint, which may take long.
    revokeAccess(context),
    keepCheckpoints(context),
  ];
  const { deps, ref } = context;
  return { companions: new Companions(list, { ref, clock: deps.clock, log: deps.log }), model };
}
