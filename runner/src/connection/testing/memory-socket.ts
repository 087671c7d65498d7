import type { Channel, ChannelEvents, Dial } from '../socket/channel.ts';
import type { FakeControlPlane } from './fake-control-plane.ts';

/** A socket without a network; `cut` drops it, `refuse` makes every dial fail. */
export class MemorySocket {
  readonly #plane: FakeControlPlane;
  #events: ChannelEvents | null = null;
  #heard: Promise<void> = Promise.resolve();
  refuse = false;
  bufferedBytes = 0;
  dials = 0;
  /** What the other side could not stand. */
  trouble: unknown = null;

  constructor(plane: FakeControlPlane) {
    this.#plane = plane;
  }

  readonly dial: Dial = async (events) => {
    this.dials += 1;
    if (this.refuse) throw new Error('refused');
    this.#events = events;
    this.#plane.connected((text) => events.text(text));
    const channel: Channel = {
      send: (text) => {
        if (this.#events !== events) return;
        this.#heard = this.#heard
          .then(() => this.#plane.hear(text))
          .catch((error: unknown) => {
            this.trouble ??= error;
          });
      },
      close: () => this.#drop(events, 1000),
      bufferedBytes: () => this.bufferedBytes,
    };
    return channel;
  };

  cut(): void {
    if (this.#events !== null) this.#drop(this.#events, 1006);
  }

  #drop(events: ChannelEvents, code: number): void {
    if (this.#events !== events) return;
    this.#events = null;
    this.#plane.disconnected();
    events.closed(code, '');
  }
}
