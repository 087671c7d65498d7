import { runOnce } from '../support/core/run-once.ts';
import type { Deps } from '../../control-plane/src/deps.ts';
import { syncIssues } from '../../control-plane/src/issues/sync/sync-tracker-issues.ts';
import { createLeadership } from '../../control-plane/src/jobs/leadership/create-leadership.ts';
import { createLinearDeliveryHandler } from '../../control-plane/src/integrations/linear/webhook/linear-delivery-handler.ts';
import { createCoreWorld } from '../support/core/core-world.ts';
import { openFramePeer } from '../support/core/runner-peers.ts';
import { sendTrackerDelivery, WEBHOOK_VARIABLES } from '../support/core/signed-deliveries.ts';
import { createLinearHarness } from '../support/linear/linear-harness.ts';

export type TrackerRequests = {
  activeIssues: number;
  changesPerHour: number;
  /** Requests in one hour of the service's own clock, after its first look. */
  pollingOnly: number;
  withWebhooks: number;
};

const ISSUES = 500;
/** Each issue is changed once in the hour. */
const CHANGES = 500;
const HOUR_MS = 3_600_000;
const STEP_MS = 1_000;
/** How often the service looks whether something is due. */
const RUN_EVERY_MS = 5_000;

/** What an hour with 500 active issues costs at the tracker, on a clock that is put forward. */
export async function measureTrackerRequests(): Promise<TrackerRequests> {
  return {
    activeIssues: ISSUES,
    changesPerHour: CHANGES,
    pollingOnly: await requestsInAnHour(false),
    withWebhooks: await requestsInAnHour(true),
  };
}

async function requestsInAnHour(withWebhooks: boolean): Promise<number> {
  const world = await createCoreWorld(openFramePeer, {
    ...WEBHOOK_VARIABLES,
    SERVICE_CONFIG__tracker__kind: 'linear',
  });
  const { fake, tracker, close } = await createLinearHarness();
  try {
    const { clock } = world;
    const linear = fake.world;
    linear.nowMs = () => clock.nowMs();
    linear.time = () => clock.nowMs();
    const stateId = linear.stateNamed('Todo').id;
    const issues = Array.from({ length: ISSUES }, (_, index) =>
      linear.add({ title: `Issue ${index}`, stateId }, linear.ada),
    );
    const deps = withTracker(world.deps, tracker);
    const run = async () => {
      const { instanceId: holder } = deps.service;
      await createLeadership(deps, { holder, holderGone: () => true })();
      await runOnce(deps);
    };
    await run();
    const before = fake.requests.length;
    const changeEverySteps = HOUR_MS / STEP_MS / CHANGES;
    let changed = 0;
    for (let step = 1; step <= HOUR_MS / STEP_MS; step += 1) {
      clock.advance(STEP_MS);
      if (step / changeEverySteps >= changed + 1) {
        const issue = issues[changed % ISSUES];
        changed += 1;
        if (issue === undefined) continue;
        linear.change(issue.id, { title: `Changed ${changed}` }, linear.ada);
        const data = { id: issue.id };
        if (withWebhooks) await sendTrackerDelivery(world, `change-${changed}`, { data });
        await run();
      } else if (step % (RUN_EVERY_MS / STEP_MS) === 0) await run();
    }
    return fake.requests.length - before;
  } finally {
    await close();
    await world.close();
  }
}

/** The service's parts with a Linear beside its own tracker. */
function withTracker(deps: Deps, tracker: Parameters<typeof syncIssues>[1]): Deps {
  const handler = createLinearDeliveryHandler({
    sync: (ids) => syncIssues(deps, tracker, ids),
    hear: async () => undefined,
    isInSession: async () => false,
    handleInSession: async () => undefined,
    scope: () => ({}),
  });
  return {
    ...deps,
    trackers: new Map([...deps.trackers, [tracker.kind, tracker]]),
    deliveryHandlers: new Map([['tracker', handler]]),
  };
}
