import type WebSocket from 'ws';
import { frameText } from './frame-text.ts';
import type { WireRecord } from './wire-record.ts';

/** What does not pass at present; `up` is from the runner to the control plane. */
export type Direction = 'up' | 'down' | 'both';

/** Sees each frame before it passes; true keeps it and everything after it from passing. */
export type FrameTrap = (direction: 'up' | 'down', text: string) => boolean;

/** Two ends of one runner connection; frames pass from one to the other or wait in between. */
export class HeldSocketPair {
  readonly #front: WebSocket;
  readonly #back: WebSocket;
  readonly #record: WireRecord;
  readonly #waiting: { up: string[]; down: string[] } = { up: [], down: [] };
  readonly #trap: FrameTrap;
  #held: Direction | null = null;
  #closed: () => void = () => undefined;
  #isClosed = false;

  /** `early`: frames of the control plane that came before the runner's end was there. */
  constructor(
    ends: { front: WebSocket; back: WebSocket },
    seen: { record: WireRecord; trap: FrameTrap },
    early: readonly string[],
  ) {
    const { front, back } = ends;
    this.#front = front;
    this.#back = back;
    this.#record = seen.record;
    this.#trap = seen.trap;
    for (const text of early) this.#take('down', text);
    front.on('message', (data) => this.#take('up', frameText(data)));
    back.on('message', (data) => this.#take('down', frameText(data)));
    for (const end of [front, back]) {
      end.on('close', () => this.#oneEndClosed());
      end.on('error', () => end.terminate());
    }
  }

  onClose(listener: () => void): void {
    this.#closed = listener;
    if (this.#isClosed) listener();
  }

  hold(direction: Direction): void {
    this.#held = direction;
  }

  /** What waited goes first, in order. */
  release(): void {
    this.#held = null;
    for (const text of this.#waiting.up.splice(0)) this.#pass('up', text);
    for (const text of this.#waiting.down.splice(0)) this.#pass('down', text);
    if (this.#isClosed) this.cut();
  }

  cut(): void {
    this.#held = null;
    this.#isClosed = true;
    this.#front.terminate();
    this.#back.terminate();
    this.#closed();
  }

  /** While nothing passes, neither does the news that the other end is gone. */
  #oneEndClosed(): void {
    this.#isClosed = true;
    if (this.#held === null) this.cut();
  }

  #take(direction: 'up' | 'down', text: string): void {
    // ModelMessage is said, whether it arrives or not: an acknowledgement binds from here on.
    if (direction === 'down') this.#record.fromPlane(text);
    if (this.#trap(direction, text)) this.hold('both');
    if (this.#held === direction || this.#held === 'both') this.#waiting[direction].push(text);
    else this.#pass(direction, text);
  }

  #pass(direction: 'up' | 'down', text: string): void {
    const end = direction === 'up' ? this.#back : this.#front;
    if (end.readyState !== end.OPEN) return;
    if (direction === 'up') this.#record.fromRunner(text);
    end.send(text);
  }
}
