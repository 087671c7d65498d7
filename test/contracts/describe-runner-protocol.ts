import { afterEach, describe } from 'vitest';
import type { CoreWorld } from '../support/core/core-world.ts';
import { describeLife } from './runner-protocol/life.ts';

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

    describe('the life of an attempt', () => describeLife(makeWorld));
  });
}
