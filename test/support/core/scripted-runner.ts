import { EMPTY_DIGEST, extendDigest } from '@switchyard/shared/protocol/extend-digest';
import type { AttemptEventItem } from '@switchyard/shared/protocol/attempt-event';
import type {
  ControlPlaneMessage,
  ControlPlaneMessageOf,
  HeldItem,
  RunnerMessage,
  RunnerMessageOf,
} from '@switchyard/shared/protocol/messages';
import type { CoreWorld, RunnerPeer } from './core-world.ts';
import type { RunnerIdentity } from './runner-identity.ts';

type Offer = ControlPlaneMessageOf<'offer'>;
type Hello = RunnerMessageOf<'hello'>;
type Finish = RunnerMessageOf<'finish'>;
type Joined = { runnerId: string; identity: RunnerIdentity };

export const DELIVERY: NonNullable<Finish['delivery']> = {
  branch: 'switchyard/SY-1',
  baseBranch: 'main',
  baseCommit: 'a'.repeat(40),
  commitSha: 'b'.repeat(40),
  diffStat: { files: 1, insertions: 2, deletions: 0 },
};

/** A lease as the runner that holds it knows it. */
export type Lease = {
  attemptId: string;
  epoch: number;
  token: string;
  /** Events sent so far, and the chain over them. */
  seq: number;
  digest: string;
};

/** A runner that says what the test wants and keeps the books a real one keeps. */
export type ScriptedRunner = ReturnType<typeof scriptRunner>;

export function scriptRunner(world: CoreWorld, joined: Joined, slots = 1) {
  const { runnerId } = joined;
  let peer: RunnerPeer = world.openPeer(joined);
  let refs = 0;
  const send = (...messages: RunnerMessage[]) => peer.exchange(messages);
  const sendOne = async (message: RunnerMessage): Promise<ControlPlaneMessage> => {
    const replies = await send(message);
    const [reply] = replies;
    if (reply === undefined || replies.length !== 1) {
      throw new Error(`expected one answer to ${message.type}, got ${JSON.stringify(replies)}`);
    }
    return reply;
  };
  const helloMessage = (changes: Partial<Hello> = {}): Hello => ({
    type: 'hello',
    protocol: { min: 1, max: 1 },
    runnerId,
    bootId: 'boot-1',
    instanceId: 'instance-1',
    version: '0.0.0-test',
    features: [],
    labels: [],
    slots: { total: slots, free: slots },
    isolation: 'process',
    warnings: [],
    draining: false,
    held: [],
    ...changes,
  });
  const acceptMessage = (offer: {
    attemptId: string;
    epoch: number;
  }): RunnerMessageOf<'accept'> => ({
    type: 'accept',
    attemptId: offer.attemptId,
    epoch: offer.epoch,
    ref: `accept-${(refs += 1)}`,
  });
  const renewMessage = (held: HeldItem[]): RunnerMessageOf<'renew'> => ({
    type: 'renew',
    ref: `renew-${(refs += 1)}`,
    held,
    slots: { total: slots, free: Math.max(0, slots - held.length) },
  });
  return {
    runnerId,
    slots,
    send,
    sendOne,
    /** The present connection, to be used even after a newer one has taken over. */
    line: () => {
      const present = peer;
      return (message: RunnerMessage) => present.exchange([message]);
    },
    /** A further connection that has not said hello. */
    newLine: () => {
      const further = world.openPeer(joined);
      return (message: RunnerMessage) => further.exchange([message]);
    },
    helloMessage,
    acceptMessage,
    renewMessage,
    /** Connects, says hello and gives the welcome with what came beside it. */
    async hello(changes: Partial<Hello> = {}) {
      peer = world.openPeer(joined);
      world.core.sockets.connect(runnerId);
      const [welcome, ...others] = await send(helloMessage(changes));
      if (welcome?.type !== 'welcome') throw new Error(`no welcome: ${JSON.stringify(welcome)}`);
      return { welcome, others };
    },
    /** Connects again after its lease ran out, and is offered what waits. */
    async offerAgain(): Promise<Offer> {
      await this.hello();
      await world.tick();
      return this.offer();
    },
    /** The one offer that has come since the last look. */
    offer(): Offer {
      const offers = world.core.sockets
        .take(runnerId)
        .filter((message) => message.type === 'offer');
      const [offer] = offers;
      if (offer === undefined || offers.length !== 1)
        throw new Error(`${offers.length} offers came`);
      return offer;
    },
    offers: (): Offer[] =>
      world.core.sockets.take(runnerId).filter((message) => message.type === 'offer'),
    async accept(offer: { attemptId: string; epoch: number }): Promise<Lease> {
      const granted = await sendOne(acceptMessage(offer));
      if (granted.type !== 'granted') throw new Error(`not granted: ${JSON.stringify(granted)}`);
      const { attemptId, epoch } = offer;
      return { attemptId, epoch, token: granted.attemptToken, seq: 0, digest: EMPTY_DIGEST };
    },
    renew: (held: HeldItem[]) => sendOne(renewMessage(held)),
    /** Sends events that follow what the lease has sent before. */
    async events(lease: Lease, ...events: { kind: string; payload: Record<string, unknown> }[]) {
      const items = numbered(lease, events, world.clock.nowMs());
      lease.seq += items.length;
      lease.digest = await extendDigest(lease.digest, items);
      return sendOne(eventsMessage(lease, items));
    },
    finish: (lease: Lease, changes: Partial<Finish> = {}) => sendOne(finishMessage(lease, changes)),
  };
}

export function numbered(
  lease: Pick<Lease, 'seq'>,
  events: readonly { kind: string; payload: Record<string, unknown> }[],
  atMs: number,
): AttemptEventItem[] {
  return events.map((event, index) => ({ ...event, seq: lease.seq + 1 + index, atMs }));
}

export function eventsMessage(
  lease: { attemptId: string; epoch: number },
  items: AttemptEventItem[],
): RunnerMessageOf<'events'> {
  const { attemptId, epoch } = lease;
  return { type: 'events', attemptId, epoch, from: items[0]?.seq ?? 1, items };
}

/** A clean end without a marker, unless something else is given. */
export function finishMessage(lease: Lease, changes: Partial<Finish> = {}): Finish {
  return {
    type: 'finish',
    attemptId: lease.attemptId,
    epoch: lease.epoch,
    finalSeq: lease.seq,
    digest: lease.digest,
    outcome: 'completed',
    marker: null,
    summary: null,
    ...changes,
  };
}

export function heldItem(lease: { attemptId: string; epoch: number }, seq = 0): HeldItem {
  const { attemptId, epoch } = lease;
  return { attemptId, epoch, phase: 'running', containerId: null, spooledSeq: seq, ackedSeq: seq };
}

export const note = (text: string) => ({ kind: 'log', payload: { source: 'engine', text } });
