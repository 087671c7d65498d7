import type { EngineWorld } from './engine-world.ts';

/** How long an issue may take on a busy machine. */
export const END_LIMIT_MS = 240_000;

/** One thing that an engine has to show in a real service, with its real program in a container. */
export type Cell = {
  name: string;
  /** Throws when the engine does not show it; answers what was seen, in a few words. */
  show: (world: EngineWorld) => Promise<string>;
  /** In a service of its own: it leaves the provider paused, as it should. */
  alone?: boolean;
};

/** Fails the cell with what was seen where something else had to be. */
export function must(holds: boolean, what: string, seen: unknown): asserts holds {
  if (!holds) throw new Error(`${what}; seen: ${JSON.stringify(seen)?.slice(0, 600)}`);
}
