import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AttemptSpec } from '@switchyard/shared/protocol/attempt-spec';
import { afterEach, beforeEach, expect } from 'vitest';
import { testSpec } from '../../connection/testing/attempt-spec.ts';
import type { HostWorld } from './host-rig.ts';
import { makeWorld, offerTo, startHost, waitFor } from './host-rig.ts';

type Host = Awaited<ReturnType<typeof startHost>>;
type HostChange = Parameters<typeof startHost>[1];

const KEY = 'att_00000001@1';

/** No clock of an attempt runs but those that a test sets. */
export const { limits } = testSpec();

/** A world and a runner process in it for each test of a file, and the words to follow them. */
export function useHost() {
  let world: HostWorld;
  let runner: Host;
  beforeEach(async () => {
    world = await makeWorld();
    runner = await startHost(world);
  });
  afterEach(async () => {
    await runner.kill();
    expect(runner.wire.trouble).toBeNull();
    await world.fixture.dispose();
  });

  const until = <T>(what: string, found: () => T | null | undefined | false) =>
    waitFor(world, what, found);
  const stored = (kind: string, key = KEY) =>
    (world.plane.stored.get(key) ?? []).filter((item) => item.kind === kind);
  const workspace = () => join(world.fixture.workspaces.paths.workspaces, 'SY-1');
  return {
    get world() {
      return world;
    },
    get runner() {
      return runner;
    },
    /** A process that follows the one that a test killed. */
    async start(change?: HostChange): Promise<void> {
      runner = await startHost(world, change);
    },
    async restart(change?: HostChange): Promise<void> {
      await runner.kill();
      runner = await startHost(world, change);
    },
    offer: (change?: Partial<AttemptSpec>) => offerTo(world, change),
    until,
    finished: (key = KEY) => until(`finish of ${key}`, () => world.plane.finished.get(key)),
    stored,
    payloads: (kind: string, key?: string) => stored(kind, key).map((item) => item.payload),
    container: () => until('container', () => world.containers.started.at(-1)),
    turn: (number = 1) =>
      until(`turn ${number}`, () =>
        world.engine.sessions.at(-1)?.turns.find((one) => one.number === number),
      ),
    workspace,
    edit: (name = 'new.txt') => writeFile(join(workspace(), name), 'new\n'),
    /** A turn that goes on until the test ends it. */
    hang(): void {
      world.engine.script = () => undefined;
    },
  };
}
