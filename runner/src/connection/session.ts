import { LIVE_TEXT_FEATURE } from '@switchyard/shared/protocol/features';
import { RENEW_MS } from '@switchyard/shared/protocol/limits';
import type {
  ControlPlaneMessage,
  ControlPlaneMessageOf,
  Verdict,
} from '@switchyard/shared/protocol/messages';
import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import type { AttemptPort, GivenBack } from './attempt-port.ts';
import type { CallTable } from './calls.ts';
import type { Channel } from './channel.ts';
import type { Clock } from './clock.ts';
import type { Unreadable } from './frame.ts';
import { decodeFrame } from './frame.ts';
import type { Lease } from './lease.ts';
import type { LeaseRef } from './lease-ref.ts';
import { leaseKey } from './lease-ref.ts';
import type { Log } from './log.ts';
import { messageOf } from './log.ts';
import type { DeltaItem } from './outbound.ts';
import { Outbound } from './outbound.ts';
import type { SocketOwner } from './socket.ts';
import type { Spool } from './spool.ts';
import { StreamFlow } from './stream-flow.ts';

/** The parts of `hello` that stay the same while the process lives. */
export type Introduction = Omit<RunnerMessageOf<'hello'>, 'type' | 'slots' | 'held' | 'draining'>;

export type SessionDeps = {
  introduction: Introduction;
  attempts: AttemptPort;
  spool: Spool;
  calls: CallTable;
  lease: Lease;
  clock: Clock;
  random: () => number;
  log: Log;
  /** The socket below: told when all is well, and asked for a new one. */
  healthy(pingMs: number): void;
  reconnect(reason: string, patient: boolean): void;
  /** First and every later welcome, after the verdicts were obeyed. */
  welcomed(session: number): void;
  renewed(remainingMs: number): void;
  /** Whether a lease is of use although no attempt is held; left out: never. */
  wantsLease?(): boolean;
  revoked(): void;
};

/** Errors after which an attempt's events, and so its end, can never be accepted. */
const UNSTORABLE: ReadonlySet<string> = new Set(['DIGEST', 'EVENT_INVALID', 'SEQUENCE']);

type Live = {
  out: Outbound;
  flow: StreamFlow | null;
  renewMs: number;
  showsText: boolean;
  finishSentMs: Map<string, number>;
  cancelRenew: () => void;
};

/**
 * Speaks the runner protocol over whatever socket is open. Nothing here must survive a socket:
 * what matters is in the journal and the spool, and every order is repeated by the control plane.
 */
export class ControlSession implements SocketOwner {
  readonly #deps: SessionDeps;
  #live: Live | null = null;
  #refs = 0;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    deps.spool.onAppend(() => this.#live?.out.appended());
  }

  opened(channel: Channel): void {
    const out = new Outbound(channel, this.#deps.clock);
    const live: Live = {
      out,
      flow: null,
      renewMs: RENEW_MS,
      showsText: false,
      finishSentMs: new Map(),
      cancelRenew: () => undefined,
    };
    out.afterData = () => this.#sendFinishes();
    this.#live = live;
    this.#hello(out);
  }

  #hello(out: Outbound): void {
    const { attempts, introduction } = this.#deps;
    out.control({
      type: 'hello',
      ...introduction,
      slots: attempts.slots(),
      draining: attempts.draining(),
      held: attempts.held(),
    });
  }

  closed(): void {
    this.#live?.cancelRenew();
    this.#live?.out.close();
    this.#live = null;
    this.#deps.calls.detach();
  }

  text(data: string): void {
    const { messages, unreadable } = decodeFrame(data);
    for (const problem of unreadable) this.#refuse(problem);
    for (const message of messages) {
      try {
        this.#handle(message);
      } catch (error) {
        // One message that cannot be served (a full disk, say) must not end the runner.
        this.#deps.log.error('a message failed', { type: message.type, error: messageOf(error) });
      }
    }
  }

  get isWelcomed(): boolean {
    return this.#live !== null && this.#live.flow !== null;
  }

  /** Lossy text for people who watch; dropped when there is no session or nobody it could reach. */
  delta(ref: LeaseRef, item: DeltaItem): void {
    if (this.#live?.showsText === true) this.#live.out.delta(ref, item);
  }

  /** Something about an attempt changed that can be said now (it ended, a container died). */
  wake(): void {
    this.#live?.out.dataNow();
  }

  /** Gives a lease back; without a session the next inventory says the same by leaving it out. */
  released(ref: LeaseRef, { why, orderly }: GivenBack): void {
    if (!this.isWelcomed) return;
    this.#live?.flow?.close(ref);
    this.#live?.out.control({
      type: 'released',
      ...ref,
      why: why.slice(0, 400),
      container: 'dead',
      ...(orderly ? { orderly } : {}),
    });
  }

  /** Tells the control plane to offer nothing more here. */
  drain(deadlineMs: number): void {
    if (this.isWelcomed) this.#live?.out.control({ type: 'drain', deadlineMs });
  }

  #handle(message: ControlPlaneMessage): void {
    if (message.type === 'welcome') return this.#welcome(message);
    if (message.type === 'error') return this.#error(message);
    if (message.type === 'goaway') return this.#goaway(message);
    if (this.#live?.flow == null) return;
    this.#handleWelcomed(message, this.#live, this.#live.flow);
  }

  #handleWelcomed(message: ControlPlaneMessage, live: Live, flow: StreamFlow): void {
    const { attempts, calls, log } = this.#deps;
    switch (message.type) {
      case 'offer':
        return this.#offer(message);
      case 'granted':
        this.#renewLease(message.ref, message.ttlMs);
        if (!flow.isOpen(message)) flow.open(refOf(message), 0);
        return attempts.granted(message);
      case 'renewed':
        this.#renewLease(message.ref, message.ttlMs);
        for (const verdict of message.verdicts) this.#obey(verdict);
        return;
      case 'ack':
        flow.acknowledged(message, message.upto);
        return live.out.dataNow();
      case 'cancel':
        return this.#order(message, {
          cancel: { reason: message.reason, graceMs: message.graceMs },
        });
      case 'answer':
        return this.#order(message, { answers: [message.answer] });
      case 'steer':
        return this.#order(message, { steers: [message.steer] });
      case 'finished':
        flow.close(message);
        live.finishSentMs.delete(leaseKey(message));
        return attempts.finished(refOf(message));
      case 'fence':
        return this.#fence(message);
      case 'drain':
        return attempts.drain(message.deadlineMs);
      case 'undrain':
        return attempts.undrain();
      case 'call':
        calls.serve(message).catch((error: unknown) => log.error('call', { error: String(error) }));
        return;
      case 'result':
        return calls.result(message);
      default:
        return;
    }
  }

  #welcome(message: ControlPlaneMessageOf<'welcome'>): void {
    const live = this.#live;
    if (live === null || live.flow !== null) return;
    const { spool, calls, healthy, welcomed, attempts } = this.#deps;
    live.flow = new StreamFlow(spool, message.window);
    live.renewMs = message.renewMs;
    live.showsText = message.features?.includes(LIVE_TEXT_FEATURE) === true;
    healthy(message.pingMs);
    calls.attach((outgoing) => live.out.control(outgoing));
    for (const verdict of message.verdicts) this.#obey(verdict);
    attempts.welcomed();
    this.#renew();
    live.out.startData(live.flow);
    welcomed(message.session);
  }

  #obey(verdict: Verdict): void {
    const { attempts } = this.#deps;
    const ref = refOf(verdict);
    if (verdict.verdict === 'stop') return this.#fence({ ...ref, code: verdict.code });
    if (attempts.awaitsGrant(ref)) return this.#accept(ref);
    if (verdict.verdict === 'offered') return;
    const flow = this.#live?.flow;
    if (flow != null && !flow.isOpen(ref)) flow.open(ref, verdict.ackedSeq);
    attempts.keep(verdict);
    if (attempts.needsToken(ref)) this.#accept(ref);
  }

  #order(ref: LeaseRef, order: Partial<Extract<Verdict, { verdict: 'keep' }>>): void {
    this.#deps.attempts.keep({ ...refOf(ref), verdict: 'keep', ackedSeq: 0, ...order });
  }

  #offer(message: ControlPlaneMessageOf<'offer'>): void {
    const answer = this.#deps.attempts.offer(message);
    if (answer.accepted) return this.#accept(refOf(message));
    const words = answer.message === undefined ? {} : { message: answer.message.slice(0, 1_000) };
    this.#live?.out.control({ type: 'decline', ...refOf(message), code: answer.code, ...words });
  }

  #accept(ref: LeaseRef): void {
    const tag = this.#nextRef();
    this.#deps.lease.sent(tag);
    this.#live?.out.control({ type: 'accept', ...ref, ref: tag });
  }

  #fence(message: LeaseRef & { code: ControlPlaneMessageOf<'fence'>['code'] }): void {
    const { attempts, log, reconnect, revoked } = this.#deps;
    const ref = refOf(message);
    log.warn('fenced', { ...ref, code: message.code });
    if (message.code === 'STALE_SESSION') {
      return reconnect('another process speaks for this runner', true);
    }
    this.#live?.flow?.close(ref);
    attempts.fenced(ref, message.code);
    if (message.code === 'RUNNER_REVOKED') revoked();
  }

  #renewLease(ref: string, ttlMs: number): void {
    const remainingMs = this.#deps.lease.renewed(ref, ttlMs);
    if (remainingMs !== null) this.#deps.renewed(remainingMs);
  }

  /** Asks for a lease at once: something begins that must not be without one. */
  askForLease(): void {
    if (this.isWelcomed) this.#renew();
  }

  /** Renews while something needs it; an idle runner costs the control plane nothing. */
  #renew(): void {
    const live = this.#live;
    if (live === null) return;
    const { attempts, lease, clock, random } = this.#deps;
    const held = attempts.held();
    if (held.length > 0 || this.#deps.wantsLease?.() === true) {
      const ref = this.#nextRef();
      lease.sent(ref);
      live.out.control({
        type: 'renew',
        ref,
        held,
        slots: attempts.slots(),
        load: attempts.load(),
      });
      for (const item of held) {
        if (attempts.awaitsGrant(item) || attempts.needsToken(item)) this.#accept(refOf(item));
      }
    }
    for (const stuck of live.flow?.stuck() ?? []) live.flow?.rewind(stuck);
    live.out.dataSoon();
    live.cancelRenew();
    live.cancelRenew = clock.after(live.renewMs * (0.9 + 0.2 * random()), () => this.#renew());
  }

  /** `finish` goes once every event of the lease is committed; again when no answer comes. */
  #sendFinishes(): void {
    const live = this.#live;
    if (live?.flow == null) return;
    const { attempts, clock } = this.#deps;
    const nowMs = clock.monotonicMs();
    for (const finish of attempts.finishes()) {
      // After a power cut: what this end vouches for is gone, and it could never be accepted.
      if ((this.#deps.spool.stream(finish)?.spooledSeq ?? 0) < finish.finalSeq) {
        attempts.refused(finish.attemptId, 'events of it were lost on this host');
        continue;
      }
      const sentMs = live.finishSentMs.get(leaseKey(finish));
      const due = sentMs === undefined || nowMs - sentMs >= live.renewMs;
      if (!due || !live.flow.isOpen(finish) || !live.flow.isDrained(finish)) continue;
      live.finishSentMs.set(leaseKey(finish), nowMs);
      live.out.control(finish);
    }
  }

  #error(message: ControlPlaneMessageOf<'error'>): void {
    const { log, clock } = this.#deps;
    const fields = { code: message.code, message: message.message, attemptId: message.attemptId };
    log.warn('the control plane reports an error', { ...fields, retryable: message.retryable });
    if (message.code === 'STALE_SESSION') {
      return this.#deps.reconnect('another process speaks for this runner', true);
    }
    const live = this.#live;
    if (live === null) return;
    if (!message.retryable) return this.#finalError(message, live);
    clock.after(message.retryAfterMs ?? 1_000, () => this.#retry(live, message.attemptId));
  }

  /** Nothing is killed on a doubt: only what can never be stored ends an attempt. */
  #finalError(message: ControlPlaneMessageOf<'error'>, live: Live): void {
    const { attempts, reconnect, revoked } = this.#deps;
    const { code, attemptId } = message;
    if (code === 'RUNNER_REVOKED') return revoked();
    if (live.flow === null) return reconnect(`${code}: ${message.message}`, true);
    if (attemptId !== undefined && UNSTORABLE.has(code))
      attempts.refused(attemptId, message.message);
  }

  #retry(live: Live, attemptId: string | undefined): void {
    if (this.#live !== live) return;
    // Without a welcome nothing goes on, and the pings would keep this socket open for ever.
    if (live.flow === null) return this.#hello(live.out);
    for (const item of this.#deps.attempts.held()) {
      if (attemptId !== undefined && item.attemptId !== attemptId) continue;
      live.flow.rewind(item);
      live.finishSentMs.delete(leaseKey(item));
      if (this.#deps.attempts.awaitsGrant(item)) this.#accept(refOf(item));
    }
    live.out.dataNow();
  }

  #goaway(message: ControlPlaneMessageOf<'goaway'>): void {
    const { clock, random, log, reconnect } = this.#deps;
    log.info('asked to reconnect', { why: message.reason, withinMs: message.afterMs });
    const live = this.#live;
    clock.after(Math.floor(random() * message.afterMs), () => {
      if (this.#live === live) reconnect(`goaway: ${message.reason}`, false);
    });
  }

  #refuse(problem: Unreadable): void {
    const { log } = this.#deps;
    log.warn('unreadable message', { type: problem.type, why: problem.why });
    const { attemptId, epoch } = problem;
    if (problem.type === 'offer' && attemptId !== undefined && epoch !== undefined && epoch >= 1) {
      const message = `the offer is not readable here: ${problem.why}`;
      this.#live?.out.control({ type: 'decline', attemptId, epoch, code: 'SPEC_INVALID', message });
      return;
    }
    this.#live?.out.control({
      type: 'error',
      code: problem.knownType ? 'MALFORMED' : 'UNSUPPORTED',
      message: `${problem.type}: ${problem.why}`.slice(0, 1_000),
      retryable: false,
      ...(problem.ref === undefined ? {} : { ref: problem.ref.slice(0, 64) }),
    });
  }

  #nextRef(): string {
    this.#refs += 1;
    return `ref_${this.#refs}`;
  }
}

function refOf(message: LeaseRef): LeaseRef {
  return { attemptId: message.attemptId, epoch: message.epoch };
}
