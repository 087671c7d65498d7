import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CoreWorld, createCoreWorld } from '../../../../test/support/core/core-world.ts';
import { openFramePeer } from '../../../../test/support/core/runner-peers.ts';
import { type FakeLinear, startFakeLinear } from '../../../../test/support/linear/fake-linear.ts';
import type { FakeIssue } from '../../../../test/support/linear/linear-rows.ts';
import { issues } from '../../db/schema/work/issues.ts';
import { steers } from '../../db/schema/work/requests.ts';
import { linearSettingsOf } from '../../integrations/linear/linear-settings-of.ts';
import { connectLinear } from '../../integrations/linear/connect-linear.ts';

const POLL_MS = 15_000;

let world: CoreWorld;
let fake: FakeLinear;
let issue: FakeIssue;
beforeEach(async () => {
  fake = await startFakeLinear();
  world = await createCoreWorld(openFramePeer, {
    SERVICE_CONFIG__tracker__kind: 'linear',
    SERVICE_CONFIG__tracker__linear__endpoint: fake.endpoint,
    SERVICE_CONFIG__tracker__linear__apiKey: fake.apiKey,
  });
  fake.world.time = () => world.clock.nowMs();
  await connect();
  const stateId = fake.world.stateNamed('Todo').id;
  issue = fake.world.add({ title: 'Talk', stateId }, fake.world.ada);
  fake.world.say(issue.id, 'Said before anybody listened', fake.world.ada);
  await world.pass(1_000);
});
afterEach(async () => {
  await world.close();
  await fake.close();
});

async function connect(): Promise<void> {
  const config = await world.deps.config.load();
  const settings = linearSettingsOf(() => config, world.deps.resolveSecret);
  const { tracker } = connectLinear({ ...world.deps, settings });
  world.deps.trackers = new Map([...world.deps.trackers, ['linear', tracker]]);
}
const block = () =>
  world.deps.db
    .update(issues)
    .set({ status: 'blocked', reason: 'needs a person' })
    .where(eq(issues.id, issue.id));
const reason = async () => (await world.issue('ENG-1')).reason;
const heard = async () => (await world.deps.db.select().from(steers)).map(({ body }) => body);

describe('comments, without webhooks', () => {
  it('wake a blocked issue a poll later, once, by a person and not by ourselves', async () => {
    await block();
    await world.deps.trackers.get('linear')?.upsertComment(issue.id, 'status', 'blocked');
    await world.pass(POLL_MS);
    expect([await reason(), await heard()]).toEqual(['needs a person', []]);
    fake.world.say(issue.id, 'Use the other one', fake.world.ada);
    await world.pass(POLL_MS);
    expect(await reason()).not.toBe('needs a person');
    // It is shown again for a while: who parks the issue anew is not overruled by it.
    await block();
    await world.pass(POLL_MS);
    expect([await reason(), await heard()]).toEqual(['needs a person', ['Use the other one']]);
  });

  it('are heard that were said while nobody asked', async () => {
    await world.restart();
    await connect();
    fake.world.say(issue.id, 'Are you there?', fake.world.ada);
    await world.pass(7_200_000);
    expect(await heard()).toEqual(['Are you there?']);
  });

  it('are heard after Linear was away, and more than a page of them', async () => {
    const said = Array.from({ length: 70 }, (_, at) => `Words ${at}`);
    for (const words of said) fake.world.say(issue.id, words, fake.world.ada);
    fake.fail({ kind: 'status', status: 502 }, 'NewComments');
    await world.pass(POLL_MS);
    expect(await heard()).toEqual([]);
    await world.pass(POLL_MS);
    expect((await heard()).toSorted()).toEqual(said.toSorted());
  });
});
