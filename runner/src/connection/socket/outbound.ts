import { FLUSH_EVENTS, FLUSH_MS, TARGET_FRAME_BYTES } from '@switchyard/shared/protocol/limits';
import type { LiveTextItem, RunnerMessage } from '@switchyard/shared/protocol/messages';
import { cutText } from '@switchyard/shared/text/cut-text';
import type { Channel } from './channel.ts';
import type { Clock } from '../clock.ts';
import { encodeFrames } from './frame.ts';
import { type LeaseRef, leaseKey } from '../lease-ref.ts';
import type { StreamFlow } from './stream-flow.ts';

/** Beyond this the socket counts as slow: data waits on disk and live text is dropped. */
const MAX_BUFFERED_BYTES = 1_048_576;
const MAX_DELTA_BUFFERED_BYTES = 65_536;
const MAX_DELTA_ITEMS = 512;
const MAX_DELTA_CHARS = 16_384;

/**
 * Writes to one socket. Control messages are sent at once and before data; events in batches as
 * credit allows; live text only when nothing else waits.
 */
export class Outbound {
  readonly #channel: Channel;
  readonly #clock: Clock;
  #flow: StreamFlow | null = null;
  #control: RunnerMessage[] = [];
  readonly #deltas = new Map<string, { ref: LeaseRef; items: LiveTextItem[]; chars: number }>();
  #flushQueued = false;
  #cancelTimer: (() => void) | null = null;
  #appended = 0;
  #closed = false;
  /** Called after each flush of data, for what can be sent once all data is sent. */
  afterData: () => void = () => undefined;

  constructor(channel: Channel, clock: Clock) {
    this.#channel = channel;
    this.#clock = clock;
  }

  startData(flow: StreamFlow): void {
    this.#flow = flow;
    this.dataSoon();
  }

  control(message: RunnerMessage): void {
    this.#control.push(message);
    if (this.#flushQueued) return;
    this.#flushQueued = true;
    queueMicrotask(() => {
      this.#flushQueued = false;
      this.#flushControl();
    });
  }

  delta(ref: LeaseRef, item: LiveTextItem): void {
    if (this.#flow === null || !this.#flow.isOpen(ref)) return;
    const key = leaseKey(ref);
    const waiting = this.#deltas.get(key) ?? { ref, items: [], chars: 0 };
    this.#deltas.set(key, waiting);
    waiting.chars += item.text.length;
    const last = waiting.items.at(-1);
    if (last === undefined) {
      // A piece longer than the whole limit is truncated to it.
      waiting.items.push({ ...item, text: cutText(item.text, MAX_DELTA_CHARS) });
    } else if (waiting.chars > MAX_DELTA_CHARS || waiting.items.length >= MAX_DELTA_ITEMS) {
      return;
    } else if (last.itemId === item.itemId && last.stream === item.stream) {
      last.text += item.text;
    } else {
      waiting.items.push({ ...item });
    }
    this.dataSoon();
  }

  /** An event was spooled: it is sent within FLUSH_MS, or at once when a batch is full. */
  appended(): void {
    this.#appended += 1;
    if (this.#appended >= FLUSH_EVENTS) this.dataNow();
    else this.dataSoon();
  }

  dataSoon(): void {
    if (this.#closed || this.#cancelTimer !== null) return;
    this.#cancelTimer = this.#clock.after(FLUSH_MS, () => this.dataNow());
  }

  dataNow(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#appended = 0;
    const flow = this.#flow;
    if (this.#closed || flow === null) return;
    this.#flushControl();
    let blocked = false;
    for (;;) {
      blocked = this.#channel.bufferedBytes() > MAX_BUFFERED_BYTES;
      const batches = blocked ? [] : flow.take();
      if (batches.length === 0) break;
      this.#send(batches.map(({ ref, from, items }) => ({ type: 'events', ...ref, from, items })));
    }
    this.#flushDeltas();
    this.afterData();
    if (blocked) this.dataSoon();
  }

  close(): void {
    this.#closed = true;
    this.#cancelTimer?.();
    this.#control = [];
  }

  #flushDeltas(): void {
    const slow = this.#channel.bufferedBytes() > MAX_DELTA_BUFFERED_BYTES;
    const waiting = [...this.#deltas.values()];
    this.#deltas.clear();
    if (!slow) this.#send(waiting.map(({ ref, items }) => ({ type: 'delta', ...ref, items })));
  }

  #flushControl(): void {
    const messages = this.#control;
    this.#control = [];
    if (!this.#closed) this.#send(messages);
  }

  #send(messages: RunnerMessage[]): void {
    for (const frame of encodeFrames(messages, TARGET_FRAME_BYTES)) this.#channel.send(frame);
  }
}
