import { setTimeout as delay } from 'node:timers/promises';
import { createLinearHarness } from '../support/linear/linear-harness.ts';
import { createDeliverySender } from './delivery-sender.ts';
import { connectGrantFleet } from './grant-fleet.ts';
import { type LinearControlPlane, startLinearControlPlane } from './linear-control-plane.ts';
import { percentile } from './percentile.ts';
import { openInsertReference, openRoundTripReference, type Reference } from './reference-times.ts';

export type DeliveryLatency = {
  issues: number;
  /** From the acknowledgement of a delivery at its sender to `granted` at a runner. */
  p50Ms: number;
  p99Ms: number;
  /** One question for one issue at the tracker, which each delivery leads to. */
  trackerP50Ms: number;
  /** One insert with its commit, in a database beside the control plane's. */
  insertP50Ms: number;
  /** One message there and back over a socket on this machine. */
  roundTripP50Ms: number;
  /** The medians: a grant in units of one durable insert plus one round trip. */
  ratio: number;
};

const ISSUES = 100;
const WARM_ISSUES = 10;
/** Until what the last attempt left to do is done, and the coordinator rests. */
const PAUSE_MS = 400;

/**
 * One delivery at a time on a service that is at rest; each attempt is finished before the next.
 * What it is compared with is measured once after each, so that both meet the same machine.
 */
export async function measureDeliveryLatency(): Promise<DeliveryLatency> {
  const service = await startLinearControlPlane();
  const references: Reference[] = [];
  try {
    const insert = await openInsertReference(service.controlPlane.dataDir);
    references.push(insert);
    const roundTrip = await openRoundTripReference();
    references.push(roundTrip);
    const question = await openQuestionReference();
    references.push(question);
    const all = await measureRounds(service, { insert, roundTrip, question });
    const counted = all.slice(WARM_ISSUES);
    const p50Of = (name: keyof Round) =>
      percentile(
        counted.map((round) => round[name]),
        0.5,
      );
    const p50Ms = p50Of('grantMs');
    const insertP50Ms = p50Of('insertMs');
    const roundTripP50Ms = p50Of('roundTripMs');
    return {
      issues: counted.length,
      p50Ms,
      p99Ms: percentile(
        counted.map(({ grantMs }) => grantMs),
        0.99,
      ),
      trackerP50Ms: p50Of('questionMs'),
      insertP50Ms,
      roundTripP50Ms,
      ratio: p50Ms / (insertP50Ms + roundTripP50Ms),
    };
  } finally {
    for (const reference of references) reference.close();
    await service.close();
  }
}

type Round = { grantMs: number; insertMs: number; roundTripMs: number; questionMs: number };

async function measureRounds(
  { controlPlane, linear, secret }: LinearControlPlane,
  { insert, roundTrip, question }: Record<'insert' | 'roundTrip' | 'question', Reference>,
): Promise<Round[]> {
  const sender = createDeliverySender(controlPlane.url, secret, 1);
  const fleet = await connectGrantFleet(controlPlane);
  const { world } = linear;
  const stateId = world.stateNamed('Todo').id;
  const rounds: Round[] = [];
  try {
    for (let issue = 1; issue <= WARM_ISSUES + ISSUES; issue += 1) {
      const { id } = world.add({ title: `Bench ${issue}`, stateId }, world.ada);
      const granted = fleet.next();
      const { answeredAtMs, status } = await sender.send({
        deliveryId: `one-${issue}`,
        issueId: id,
      });
      if (status !== 200) throw new Error(`a delivery was answered ${status}`);
      const { atMs, finish } = await granted;
      const grantMs = Math.max(0, atMs - answeredAtMs);
      await finish();
      await delay(PAUSE_MS);
      const insertMs = await insert.once();
      const roundTripMs = await roundTrip.once();
      rounds.push({ grantMs, insertMs, roundTripMs, questionMs: await question.once() });
    }
    return rounds;
  } finally {
    fleet.close();
    sender.close();
  }
}

/** One issue asked for at a fake tracker of its own. */
async function openQuestionReference(): Promise<Reference> {
  const { fake, tracker, close } = await createLinearHarness();
  const { id } = fake.world.add({ title: 'Asked for' }, fake.world.ada);
  return {
    async once() {
      const startedAtMs = performance.now();
      await tracker.fetchByIds([id]);
      return performance.now() - startedAtMs;
    },
    close: () => void close(),
  };
}
