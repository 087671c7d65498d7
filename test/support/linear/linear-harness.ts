import type { LinearClient } from '../../../control-plane/src/integrations/linear/api/linear-client.ts';
import type { LinearScope } from '../../../control-plane/src/integrations/linear/linear-settings.ts';
import type { Tracker } from '../../../control-plane/src/ports/tracker/tracker.ts';
import { type FakeLinear, startFakeLinear } from './fake-linear.ts';
import { openLinear } from './open-linear.ts';

export type LinearHarness = {
  fake: FakeLinear;
  ask: LinearClient;
  tracker: Tracker;
  /** What the adapter takes for the present time. */
  clock: { nowMs(): number; advance(ms: number): void };
  scope: LinearScope;
  credential: { value: string | null };
  close(): Promise<void>;
};

/** The adapter on a fake Linear, with a clock that can be put forward. */
export async function createLinearHarness(): Promise<LinearHarness> {
  const fake = await startFakeLinear();
  let aheadMs = 0;
  const clock = {
    nowMs: () => Date.now() + aheadMs,
    advance: (ms: number) => void (aheadMs += ms),
  };
  const scope: LinearScope = {};
  const credential: { value: string | null } = { value: fake.apiKey };
  const { endpoint } = fake;
  const linear = { endpoint, credential: () => credential.value, scope };
  const { ask, tracker } = openLinear({ ...linear, clock });
  return { fake, ask, tracker, clock, scope, credential, close: () => fake.close() };
}
