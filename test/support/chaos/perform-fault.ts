import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../e2e/until.ts';
import type { ChaosWorld, LinkedRunner } from './chaos-world.ts';
import { EdgePlane } from './edge-plane.ts';
import type { Fault } from './fault-schedule.ts';

/** Longer than anything stays down on purpose. */
const TARGET_TIMEOUT_MS = 120_000;

/** Brings faults upon a world and undoes them in their time. */
export class FaultMaker {
  readonly #world: ChaosWorld;
  readonly #pending = new Set<Promise<void>>();
  readonly #failures: unknown[] = [];

  constructor(world: ChaosWorld) {
    this.#world = world;
  }

  /** Does it as soon as its target is there; resolves when it is done but not yet undone. */
  async perform(fault: Fault): Promise<void> {
    if (fault.kind === 'kill_plane') return this.#killPlane(fault.downMs);
    if (fault.kind === 'evict') return this.#evict();
    const target = await this.#freeRunner(fault.runner);
    switch (fault.kind) {
      case 'kill_runner':
        await target.runner.end('SIGKILL');
        return this.#later(fault.downMs, async () => target.runner.start());
      case 'hold':
        target.link.hold(fault.direction);
        return this.#later(fault.forMs, async () => target.link.heal(fault.heal));
      case 'cut':
        return target.link.cut();
    }
  }

  /** Throws when something did not come back or ended by itself: what follows would mean nothing. */
  check(): void {
    if (this.#failures.length > 0) throw this.#failures[0];
    this.#world.assertNotCrashed();
  }

  /** Waits until everything is up again. Throws when something could not be undone. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
    this.check();
  }

  async #evict(): Promise<void> {
    const { plane } = this.#world;
    if (plane instanceof EdgePlane && plane.isReady) await plane.evict();
  }

  async #killPlane(downMs: number): Promise<void> {
    const { plane } = this.#world;
    const options = { what: 'a control plane to kill', timeoutMs: TARGET_TIMEOUT_MS };
    const look = () => {
      this.check();
      return plane.isReady;
    };
    await until(look, (ready) => ready, options);
    await plane.end('SIGKILL');
    this.#later(downMs, () => plane.start());
  }

  /** The one meant, unless it is down or cut off already and another one is not. */
  async #freeRunner(index: number): Promise<LinkedRunner> {
    const { runners } = this.#world;
    const order = [...runners.slice(index), ...runners.slice(0, index)];
    const look = () => {
      this.check();
      return order.find(({ runner, link }) => runner.isUp && !link.isHeld) ?? null;
    };
    const options = { what: 'a runner to hurt', timeoutMs: TARGET_TIMEOUT_MS };
    const found = await until(look, (one) => one !== null, options);
    if (found === null) throw new Error(options.what);
    return found;
  }

  #later(afterMs: number, undo: () => Promise<void>): void {
    const done = delay(afterMs)
      .then(undo)
      .catch((error: unknown) => void this.#failures.push(error))
      .finally(() => this.#pending.delete(done));
    this.#pending.add(done);
  }
}
