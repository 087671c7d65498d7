import { EMPTY_DIGEST, extendDigest } from '@switchyard/shared/protocol/extend-digest';
import { RENEW_MS } from '@switchyard/shared/protocol/limits';
import type { ControlPlaneMessageOf } from '@switchyard/shared/protocol/messages';
import {
  eventsMessage,
  finishMessage,
  heldItem,
  type Lease,
  note,
  numbered,
} from '../../support/core/scripted-runner.ts';
import { type SocketLine, SocketRunner } from '../../support/core/socket-runner.ts';
import type { ServiceClient } from '../../support/e2e/service-client.ts';
import { wait } from '../wait.ts';

const FRAME_EVERY_MS = 200;
const FRAMES = 60;
const RECONNECT_MS = 1_000;
const POLL_MS = 100;
const LINE = 'x'.repeat(400);

/** What all runners of a run have been told. */
export type RunnerBook = {
  /** Events that were acknowledged, by attempt. */
  acknowledged: Map<string, number>;
  /** Attempts whose end was acknowledged. */
  finished: Set<string>;
  /** Times from a frame's sending to its acknowledgement. */
  ackMs: number[];
  lastAckAtMs: number;
  /** The longest time without any acknowledgement. */
  longestSilenceMs: number;
  reconnects: number;
  fenced: number;
};

/** Works on whatever it is offered, one frame at a time, over as many sockets as that takes. */
export class SoakRunner {
  readonly #runner: SocketRunner;
  readonly #book: RunnerBook;
  #lease: Lease | null = null;

  static async join(client: ServiceClient, name: string, book: RunnerBook): Promise<SoakRunner> {
    return new SoakRunner(await SocketRunner.join(client, name), book);
  }

  private constructor(runner: SocketRunner, book: RunnerBook) {
    this.#runner = runner;
    this.#book = book;
  }

  /** Until the signal; what is held then is brought to its end. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted || this.#lease !== null) {
      try {
        await this.#session(signal);
      } catch {
        // A socket that ended, or an answer that never came: both are what this is about.
        this.#book.reconnects += 1;
        await wait(RECONNECT_MS, new AbortController().signal);
      }
    }
    this.#runner.close();
  }

  async #session(signal: AbortSignal): Promise<void> {
    const held = this.#lease === null ? [] : [heldItem(this.#lease, this.#lease.seq)];
    const line = await this.#runner.open();
    try {
      await line.sayUntil(() => this.#runner.hello(held), 'welcome');
      while (!signal.aborted || this.#lease !== null) {
        this.#lease ??= await this.#take(line, signal);
        if (this.#lease !== null) await this.#work(line, this.#lease);
        this.#lease = null;
      }
    } catch (error) {
      if (this.#isFenced(line)) {
        this.#book.fenced += 1;
        this.#lease = null;
      }
      throw error;
    } finally {
      line.socket.terminate();
    }
  }

  #isFenced(line: SocketLine): boolean {
    const id = this.#lease?.attemptId;
    return line.messages.some((one) => one.type === 'fence' && one.attemptId === id);
  }

  async #take(line: SocketLine, signal: AbortSignal): Promise<Lease | null> {
    const seen = line.messages.length;
    for (;;) {
      if (line.closed !== null) throw new Error('the socket ended');
      if (signal.aborted) return null;
      const isOffer = (one: { type: string }) => one.type === 'offer';
      const offer = line.messages.slice(seen === 0 ? 0 : seen - 1).findLast(isOffer) as
        | ControlPlaneMessageOf<'offer'>
        | undefined;
      if (offer !== undefined && !this.#book.finished.has(offer.attemptId)) {
        const { attemptId, epoch } = offer;
        const ref = `accept-${attemptId}`;
        const isOwn = (granted: ControlPlaneMessageOf<'granted'>) =>
          granted.attemptId === attemptId;
        await line.sayUntil(() => ({ type: 'accept', ref, attemptId, epoch }), 'granted', isOwn);
        return { attemptId, epoch, token: '', seq: 0, digest: EMPTY_DIGEST };
      }
      await wait(POLL_MS, new AbortController().signal);
    }
  }

  async #work(line: SocketLine, lease: Lease): Promise<void> {
    let renewedAtMs = performance.now();
    while (lease.seq < FRAMES) {
      if (performance.now() - renewedAtMs > RENEW_MS) {
        renewedAtMs = performance.now();
        const held = [heldItem(lease, lease.seq)];
        line.say({ type: 'renew', ref: `renew-${lease.seq}`, held, slots: { total: 1, free: 0 } });
      }
      await this.#frame(line, lease);
      await wait(FRAME_EVERY_MS, new AbortController().signal);
    }
    const finish = () => finishMessage(lease, { marker: 'DONE', summary: 'Done.' });
    const isOwn = (one: ControlPlaneMessageOf<'finished'>) => one.attemptId === lease.attemptId;
    await line.sayUntil(finish, 'finished', isOwn);
    this.#book.finished.add(lease.attemptId);
  }

  async #frame(line: SocketLine, lease: Lease): Promise<void> {
    const book = this.#book;
    const items = numbered(lease, [note(LINE)], Date.now());
    const upto = lease.seq + items.length;
    const sentAtMs = performance.now();
    const isOwn = (ack: ControlPlaneMessageOf<'ack'>) =>
      ack.attemptId === lease.attemptId && ack.upto >= upto;
    await line.sayUntil(() => eventsMessage(lease, items), 'ack', isOwn);
    const nowMs = performance.now();
    book.ackMs.push(nowMs - sentAtMs);
    book.longestSilenceMs = Math.max(book.longestSilenceMs, nowMs - book.lastAckAtMs);
    book.lastAckAtMs = nowMs;
    lease.seq = upto;
    lease.digest = await extendDigest(lease.digest, items);
    book.acknowledged.set(lease.attemptId, upto);
  }
}
