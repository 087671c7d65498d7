import { afterEach } from 'vitest';
import { type CoreWorld, createCoreWorld } from './core-world.ts';
import { openFramePeer } from './runner-peers.ts';

/** Makes cores whose runners speak in frames; each is closed after its test. */
export function useCoreWorlds(): (variables?: Record<string, string>) => Promise<CoreWorld> {
  const worlds: CoreWorld[] = [];
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.close();
  });
  return async (variables) => {
    const world = await createCoreWorld(openFramePeer, variables);
    worlds.push(world);
    return world;
  };
}
