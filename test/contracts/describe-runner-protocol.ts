import { afterEach, describe } from 'vitest';
import type { CoreWorld } from '../support/core/core-world.ts';
import { describeDoubts } from './runner-protocol/doubts.ts';
import { describeEvents } from './runner-protocol/events.ts';
import { describeFencing } from './runner-protocol/fencing.ts';
import { describeLeases } from './runner-protocol/leases.ts';
import { describeLife } from './runner-protocol/life.ts';
import { describeOffers } from './runner-protocol/offers.ts';
import { describeOrders } from './runner-protocol/orders.ts';
import { describeStanding } from './runner-protocol/standing.ts';
import { describeUndeliveredMessages } from './runner-protocol/undelivered-messages.ts';
import { describeWorkspaces } from './runner-protocol/workspaces.ts';

/** Makes a fresh world; `variables` are configuration in the environment's spelling. */
export type MakeWorld = (variables?: Record<string, string>) => Promise<CoreWorld>;

/** What a runner may rely on, and what it may not do, over any transport and database. */
export function describeRunnerProtocol(name: string, make: MakeWorld): void {
  describe(`runner protocol: ${name}`, () => {
    const open: CoreWorld[] = [];
    const makeWorld: MakeWorld = async (variables) => {
      const world = await make(variables);
      open.push(world);
      return world;
    };
    afterEach(async () => {
      await Promise.all(open.splice(0).map((world) => world.close()));
    });

    describe('what is doubtful or not understood', () => describeDoubts(makeWorld));
    describe('events and finish', () => describeEvents(makeWorld));
    describe('fencing', () => describeFencing(makeWorld));
    describe('leases', () => describeLeases(makeWorld));
    describe('the life of an attempt', () => describeLife(makeWorld));
    describe('offers', () => describeOffers(makeWorld));
    describe('orders that are repeated', () => describeOrders(makeWorld));
    describe('issues that rest and issues that go on', () => describeStanding(makeWorld));
    describe('words of people', () => describeUndeliveredMessages(makeWorld));
    describe('workspaces of ended issues', () => describeWorkspaces(makeWorld));
  });
}
