import type { Channel, ChannelEvents } from '../../../runner/src/connection/socket/channel.ts';
import type { Random } from './random.ts';
import type { SimHost } from './sim-host.ts';

/** The two ways between a host and the control planes. */
export type Partition = { toPlane: boolean; toRunner: boolean };

/** The control plane's end of one socket. */
export type PlaneEnd = {
  text(data: string): void;
  closed(): void;
};

type Held = { deliver: () => void };

/** One direction of a socket: in order, delayed, and silent while its way is cut. */
class Line {
  readonly #host: SimHost;
  readonly #random: Random;
  readonly #cut: () => boolean;
  #lastMs = 0;
  #held: Held[] = [];
  #lost = false;
  #polling = false;

  constructor(to: SimHost, random: Random, cut: () => boolean) {
    this.#host = to;
    this.#random = random;
    this.#cut = cut;
  }

  send(deliver: () => void): void {
    if (this.#lost) return;
    if (this.#cut() || this.#held.length > 0) {
      this.#held.push({ deliver });
      this.#poll();
      return;
    }
    const { time } = this.#host;
    const delayMs = this.#random.chance(0.05)
      ? this.#random.int(50, 1_500)
      : this.#random.int(1, 25);
    this.#lastMs = Math.max(this.#lastMs, time.nowMs + delayMs);
    time.at(this.#lastMs, () => this.#host.whenAwake(deliver));
  }

  /** After a cut what was under way arrives late, or the connection turns out to be lost. */
  #poll(): void {
    if (this.#polling) return;
    this.#polling = true;
    this.#host.time.after(1_000, () => {
      this.#polling = false;
      if (this.#cut()) return this.#poll();
      const held = this.#held;
      this.#held = [];
      this.#lost = this.#random.chance(0.3);
      for (const { deliver } of held) this.send(deliver);
    });
  }
}

/** Both ends of one socket. Close is told to the other side only where the way is open. */
export class SimSocket {
  readonly #toRunner: Line;
  readonly #toPlane: Line;
  readonly #lateFrames: boolean;
  #runnerOpen = true;
  #planeOpen = true;
  runner: ChannelEvents;
  plane: PlaneEnd | null = null;

  constructor(
    hosts: { runner: SimHost; plane: SimHost },
    runner: ChannelEvents,
    way: { random: Random; cut: Partition; lateFrames: boolean },
  ) {
    const { random, cut, lateFrames } = way;
    this.#lateFrames = lateFrames;
    this.#toRunner = new Line(hosts.runner, random, () => cut.toRunner);
    this.#toPlane = new Line(hosts.plane, random, () => cut.toPlane);
    this.runner = runner;
  }

  get planeOpen(): boolean {
    return this.#planeOpen;
  }

  /** What the runner holds. */
  channel(): Channel {
    return {
      send: (text) => {
        if (!this.#runnerOpen) return;
        this.#toPlane.send(() => {
          if (this.#planeOpen || this.#lateFrames) this.plane?.text(text);
        });
      },
      close: () => this.closeFromRunner(),
      bufferedBytes: () => 0,
    };
  }

  sendToRunner(text: string): void {
    if (this.#planeOpen) this.#toRunner.send(() => this.#runnerOpen && this.runner.text(text));
  }

  closeFromRunner(): void {
    if (!this.#runnerOpen) return;
    this.#runnerOpen = false;
    this.#toPlane.send(() => this.#endPlane());
  }

  closeFromPlane(code: number, reason: string): void {
    if (!this.#planeOpen) return;
    this.#endPlane();
    this.#toRunner.send(() => {
      if (!this.#runnerOpen) return;
      this.#runnerOpen = false;
      this.runner.closed(code, reason);
    });
  }

  #endPlane(): void {
    if (!this.#planeOpen) return;
    this.#planeOpen = false;
    this.plane?.closed();
  }
}
