import type {
  ControlPlaneMessage,
  HeldItem,
  RunnerMessage,
  Verdict,
} from '@switchyard/shared/protocol/messages';
import { RunnerMessage as RunnerMessageSchema } from '@switchyard/shared/protocol/messages';
import { leaseTimes } from '@switchyard/shared/protocol/lease-times';
import { extendDigest, EMPTY_DIGEST } from '@switchyard/shared/protocol/extend-digest';
import type { AttemptEventItem } from '@switchyard/shared/protocol/attempt-event';
import type { LeaseRef } from '../lease-ref.ts';
import { leaseKey } from '../lease-ref.ts';

type Say = (text: string) => void;
type Of<T extends RunnerMessage['type']> = Extract<RunnerMessage, { type: T }>;

/** Ways in which this control plane may misbehave; tests switch them on and off. */
export type Mischief = {
  mute?: boolean;
  /** Takes events and says nothing. */
  noAck?: boolean;
  /** Loses this many event batches as if a database had failed, silently. */
  loseBatches?: number;
  /** Says granted twice. */
  doubleGrant?: boolean;
  noGrant?: boolean;
  noPong?: boolean;
  noFinished?: boolean;
};

function lostLease({ attemptId, epoch }: HeldItem): Verdict {
  return { attemptId, epoch, verdict: 'stop', code: 'LEASE_LOST' };
}

/** Speaks the other side of the protocol, checks every message's shape and keeps what it was told. */
export class FakeControlPlane {
  readonly received: RunnerMessage[] = [];
  readonly frames: RunnerMessage[][] = [];
  readonly stored = new Map<string, AttemptEventItem[]>();
  readonly finished = new Map<string, Of<'finish'>>();
  readonly mischief: Mischief = {};
  sealedSecrets: string | undefined;
  ttlMs = 90_000;
  verdictFor: (item: HeldItem) => Verdict = (item) => ({
    attemptId: item.attemptId,
    epoch: item.epoch,
    verdict: 'keep',
    ackedSeq: this.stored.get(leaseKey(item))?.length ?? 0,
  });
  /** Each grant makes the one before worthless. */
  attemptToken = 'token-0';
  /** What it says that it understands. */
  features: string[] = [];
  /** Leases that it has given to others meanwhile; how one ended is taken with `late_finish`. */
  readonly lost = new Set<string>();
  permit: { allowed: boolean; reason?: string } = { allowed: true };
  #say: Say | null = null;
  #session = 0;

  connected(say: Say): void {
    this.#say = say;
  }

  disconnected(): void {
    this.#say = null;
  }

  get isConnected(): boolean {
    return this.#say !== null;
  }

  say(...messages: ControlPlaneMessage[]): void {
    if (!this.mischief.mute) this.#say?.(JSON.stringify(messages));
  }

  /** Says text as it is, for frames that no honest control plane would send. */
  sayRaw(text: string): void {
    this.#say?.(text);
  }

  all<T extends RunnerMessage['type']>(type: T): Of<T>[] {
    return this.received.filter((message): message is Of<T> => message.type === type);
  }

  last<T extends RunnerMessage['type']>(type: T): Of<T> | undefined {
    return this.all(type).at(-1);
  }

  async hear(text: string): Promise<void> {
    if (text === 'ping') {
      if (!this.mischief.noPong) this.#say?.('pong');
      return;
    }
    const frame = (JSON.parse(text) as unknown[]).map((value) => RunnerMessageSchema.parse(value));
    this.frames.push(frame);
    for (const message of frame) {
      this.received.push(message);
      await this.#answer(message);
    }
  }

  async #answer(message: RunnerMessage): Promise<void> {
    switch (message.type) {
      case 'hello':
        return this.#welcome(message);
      case 'accept':
        return this.#grant(message);
      case 'renew':
        return this.say({ type: 'renewed', ref: message.ref, ttlMs: this.ttlMs, verdicts: [] });
      case 'events':
        return this.#store(message);
      case 'finish':
        return await this.#finish(message);
      case 'call':
        return this.say({ type: 'result', callId: message.callId, ok: true, value: this.permit });
      default:
        return;
    }
  }

  #welcome(hello: Of<'hello'>): void {
    this.#session += 1;
    this.say({
      type: 'welcome',
      session: this.#session,
      protocol: 1,
      ttlMs: this.ttlMs,
      renewMs: leaseTimes(this.ttlMs).renewMs,
      pingMs: 10_000,
      offerTtlMs: 15_000,
      window: { events: 256, bytes: 1_048_576 },
      maxFrameBytes: 1_048_576,
      features: this.features,
      verdicts: hello.held.map((item) =>
        this.lost.has(leaseKey(item)) ? lostLease(item) : this.verdictFor(item),
      ),
    });
  }

  #grant(accept: Of<'accept'>): void {
    if (this.mischief.noGrant) return;
    this.attemptToken = `token-${this.all('accept').length}`;
    const granted: ControlPlaneMessage = {
      type: 'granted',
      attemptId: accept.attemptId,
      epoch: accept.epoch,
      ref: accept.ref,
      ttlMs: this.ttlMs,
      attemptToken: this.attemptToken,
      ...(this.sealedSecrets === undefined ? {} : { sealedSecrets: this.sealedSecrets }),
    };
    this.say(granted, ...(this.mischief.doubleGrant ? [granted] : []));
  }

  #store(message: Of<'events'>): void {
    if (this.mischief.noAck) return;
    if ((this.mischief.loseBatches ?? 0) > 0) {
      this.mischief.loseBatches = (this.mischief.loseBatches ?? 0) - 1;
      return;
    }
    const key = leaseKey(message);
    const items = this.stored.get(key) ?? [];
    this.stored.set(key, items);
    if (message.from <= items.length + 1)
      items.push(...message.items.filter((item) => item.seq > items.length));
    this.ack(message, items.length);
  }

  ack(ref: LeaseRef, upto: number): void {
    this.say({ type: 'ack', attemptId: ref.attemptId, epoch: ref.epoch, upto });
  }

  async #finish(message: Of<'finish'>): Promise<void> {
    const items = this.stored.get(leaseKey(message)) ?? [];
    if (this.lost.has(leaseKey(message))) {
      this.finished.set(leaseKey(message), message);
      return this.say({ type: 'finished', attemptId: message.attemptId, epoch: message.epoch });
    }
    if (items.length !== message.finalSeq) return this.ack(message, items.length);
    const digest = await extendDigest(EMPTY_DIGEST, items);
    if (digest !== message.digest)
      throw new Error('digest of finish does not match the stored events');
    this.finished.set(leaseKey(message), message);
    if (this.mischief.noFinished) return;
    this.say({ type: 'finished', attemptId: message.attemptId, epoch: message.epoch });
  }
}
