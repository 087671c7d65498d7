import { linearSettingsOf } from '../../../control-plane/src/integrations/linear/linear-settings-of.ts';
import { connectLinear } from '../../../control-plane/src/integrations/linear/connect-linear.ts';
import { linearHandlers } from './linear-handlers.ts';
import { type CoreWorld, createCoreWorld } from '../core/core-world.ts';
import { openFramePeer } from '../core/runner-peers.ts';
import { type Lease, type ScriptedRunner, scriptRunner } from '../core/scripted-runner.ts';
import { sendTo, sign, WEBHOOK_VARIABLES } from '../core/signed-deliveries.ts';
import { webhookBody } from './deliver-webhook.ts';
import type { FakeSession } from './linear-rows.ts';
import { type FakeLinear, startFakeLinear } from './fake-linear.ts';
import type { FakeEvent, FakeIssue } from './linear-rows.ts';

const TURN = { kind: 'turn', payload: { state: 'started', turnId: 't1', number: 1 } };
const STREAMING = { kind: 'phase', payload: { phase: 'streaming' } };

/** A core whose tracker is the fake Linear, and whatever happens there as signed deliveries. */
export type SessionScene = {
  world: CoreWorld;
  fake: FakeLinear;
  issue(title: string, state?: string): FakeIssue;
  /** Delivers one event and waits for what begins at once. */
  deliver(event: FakeEvent, more?: { id?: string; change?: (body: never) => void }): Promise<void>;
  /** Delivers all that has happened since the last time, and has it done. */
  settle(): Promise<void>;
  /** Leaves out what has happened since the last time, and gives it. */
  withhold(): FakeEvent[];
  /** What the agent said, as `type: text`; passing activities that are over are left out. */
  said(session: FakeSession): string[];
  addRunner(): Promise<ScriptedRunner>;
  /** A delegated issue whose attempt runs. */
  running(): Promise<{ session: FakeSession; runner: ScriptedRunner; lease: Lease }>;
  /** Another start over the same rows. */
  restart(): Promise<void>;
  close(): Promise<void>;
};

export async function createSessionScene(
  variables: Record<string, string> = {},
): Promise<SessionScene> {
  const fake = await startFakeLinear();
  const given = {
    ...WEBHOOK_VARIABLES,
    SERVICE_CONFIG__tracker__kind: 'linear',
    SERVICE_CONFIG__tracker__linear__endpoint: fake.endpoint,
    SERVICE_CONFIG__tracker__linear__apiKey: fake.apiKey,
    SERVICE_CONFIG__repos: JSON.stringify([
      { prefix: 'ENG', url: 'file:///srv/repositories/shop', default_branch: 'main' },
    ]),
    ...variables,
  };
  const world = await createCoreWorld(openFramePeer, given);
  fake.world.time = () => world.clock.nowMs();
  const connect = async () => {
    const config = await world.deps.config.load();
    const settings = linearSettingsOf(() => config, world.deps.resolveSecret);
    const linear = connectLinear({ ...world.deps, settings });
    world.deps.trackers = new Map([...world.deps.trackers, ['linear', linear.tracker]]);
    world.deps.deliveryHandlers = linearHandlers(world.deps, linear);
  };
  await connect();
  // The first poll is over, so that only deliveries tell of anything.
  await world.tick();
  let number = 0;
  let delivered = 0;

  const deliver: SessionScene['deliver'] = async (event, { id, change } = {}) => {
    const body = webhookBody(fake.world, event, 'hook', world.clock.nowMs());
    const json = JSON.parse(body) as never;
    change?.(json);
    const text = JSON.stringify(json);
    const deliveryId = id ?? `d-${(number += 1)}`;
    const headers = { 'Linear-Signature': await sign(text), 'Linear-Delivery': deliveryId };
    const answer = await sendTo(world, '/webhooks/tracker', { headers, body: text });
    if (answer.status !== 200) throw new Error(`a delivery was answered ${answer.status}`);
    await world.core.background.settled();
  };
  const withhold = () => {
    const fresh = fake.events.slice(delivered).map((event) => structuredClone(event));
    delivered = fake.events.length;
    return fresh;
  };
  const scene: SessionScene = {
    world,
    fake,
    issue: (title, state = 'Todo') =>
      fake.world.add({ title, stateId: fake.world.stateNamed(state).id }, fake.world.ada),
    deliver,
    withhold,
    async settle() {
      // What is done about them makes further ones: our own, which must end.
      for (let rounds = 0; rounds < 10; rounds += 1) {
        for (const event of withhold()) await deliver(event);
        await world.tick();
        if (delivered === fake.events.length) return;
      }
      throw new Error('deliveries bring forth deliveries without an end');
    },
    said: (session) =>
      fake.world.sessions
        .shown(session)
        .filter(({ content }) => content.type !== 'prompt')
        .map(({ content: { type, ...fields } }) => `${type}: ${Object.values(fields).join(' ')}`),
    async addRunner() {
      const runner = scriptRunner(world, await world.join());
      await runner.hello();
      return runner;
    },
    async running() {
      const runner = await scene.addRunner();
      const { id } = scene.issue('Fix it');
      const session = fake.world.sessions.delegate(id, fake.world.ada);
      await scene.settle();
      const lease = await runner.accept(runner.offer());
      await runner.events(lease, STREAMING, TURN);
      await scene.settle();
      return { session, runner, lease };
    },
    async restart() {
      await world.restart(given);
      await connect();
    },
    async close() {
      await world.close();
      await fake.close();
    },
  };
  return scene;
}
