import { eq } from 'drizzle-orm';
import { steers } from '../../../control-plane/src/db/schema/work/requests.ts';
import { linearSettingsOf } from '../../../control-plane/src/integrations/linear/linear-settings-of.ts';
import { connectLinear } from '../../../control-plane/src/integrations/linear/connect-linear.ts';
import { createCoreWorld } from '../core/core-world.ts';
import { openFramePeer } from '../core/runner-peers.ts';
import { startFakeLinear } from './fake-linear.ts';

export type HourOfPolling = {
  issues: number;
  /** By Linear's published rule, the first look included. */
  points: number;
  requests: number;
  /** Requests that Linear refused because nothing was left. */
  refused: number;
  dearest: { operation: string; points: number };
  /** Changes and comments that were not seen within two polls. */
  missed: number;
};

const HOUR_MS = 3_600_000;
const POLL_MS = 15_000;
/** A change of some issue, and a comment on another, each so often. */
const CHANGE_EVERY_MS = 60_000;
/** Of the issues, those that another one blocks. */
const BLOCKED = 30;

/**
 * One hour of the service's own clock in which Linear tells of nothing by itself: what polling costs
 * there, with changes and comments by people.
 */
export async function pollForAnHour(issueCount: number): Promise<HourOfPolling> {
  const fake = await startFakeLinear();
  const world = await createCoreWorld(openFramePeer, {
    SERVICE_CONFIG__tracker__kind: 'linear',
    SERVICE_CONFIG__tracker__linear__endpoint: fake.endpoint,
    SERVICE_CONFIG__tracker__linear__apiKey: fake.apiKey,
    SERVICE_CONFIG__polling__intervalMs: String(POLL_MS),
  });
  try {
    const { clock, deps } = world;
    const linear = fake.world;
    linear.time = () => clock.nowMs();
    const config = await deps.config.load();
    const settings = linearSettingsOf(() => config, deps.resolveSecret);
    const { tracker } = connectLinear({ ...deps, settings });
    deps.trackers = new Map([...deps.trackers, ['linear', tracker]]);
    const stateId = linear.stateNamed('Todo').id;
    const issues = Array.from({ length: issueCount }, (_, at) =>
      linear.add({ title: `Issue ${at}`, stateId }, linear.ada),
    );
    const [first] = issues;
    if (first === undefined) throw new Error('there is no issue to look at');
    for (const issue of issues.slice(1, 1 + BLOCKED)) issue.blockedBy = [first.id];
    await world.tick();
    let missed = 0;
    for (let atMs = 0, turn = 0; atMs < HOUR_MS; atMs += CHANGE_EVERY_MS, turn += 1) {
      const issue = issues[(turn * 7) % issueCount] ?? first;
      linear.change(issue.id, { title: `Renamed ${turn}` }, linear.ada);
      const comment = linear.say(issue.id, `Words ${turn}`, linear.ada);
      for (let passedMs = 0; passedMs < CHANGE_EVERY_MS; passedMs += POLL_MS) {
        await world.pass(POLL_MS);
        if (passedMs !== POLL_MS) continue;
        const row = await world.issue(linear.identifier(issue));
        if (row?.title !== `Renamed ${turn}`) missed += 1;
        const heard = await deps.db.select().from(steers).where(eq(steers.message_id, comment.id));
        if (heard.length === 0) missed += 1;
      }
    }
    return {
      issues: issueCount,
      points: fake.allowance.spentPoints,
      requests: fake.requests.length,
      refused: fake.requests.filter(({ status }) => status === 400).length,
      dearest: fake.allowance.dearest,
      missed,
    };
  } finally {
    await world.close();
    await fake.close();
  }
}
