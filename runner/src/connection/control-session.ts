import { AWAITED_ENGINE_FEATURE } from '@switchyard/shared/protocol/features';
import type {
  ControlPlaneMessage,
  ControlPlaneMessageOf,
  LiveTextItem,
  Verdict,
} from '@switchyard/shared/protocol/messages';
import type { RunnerEngine } from '@switchyard/shared/engine/runner-engine';
import { cutText } from '@switchyard/shared/text/cut-text';
import { messageOf } from '@switchyard/shared/message-of';
import type { GivenBack } from './attempt-port.ts';
import type { Channel } from './socket/channel.ts';
import { type Unreadable, decodeFrame, unreadableAnswer } from './socket/frame.ts';
import type { LeaseRef } from './lease-ref.ts';
import type { LiveSocket } from './socket/live-socket.ts';
import type { Outbound } from './socket/outbound.ts';
import type { SessionDeps } from './session-deps.ts';
import type { ControlSocket, SocketOwner } from './socket/control-socket.ts';
import type { StreamFlow } from './socket/stream-flow.ts';

/** Error codes after which an attempt's events, and so its end, can never be accepted. */
const UNSTORABLE: ReadonlySet<string> = new Set(['DIGEST', 'EVENT_INVALID', 'SEQUENCE']);

/**
 * Speaks the runner protocol over the present socket. Its state need not survive the socket:
 * important state is in the journal and the spool, and the control plane repeats every order.
 */
export class ControlSession implements SocketOwner {
  readonly #deps: SessionDeps;
  #socket: ControlSocket | null = null;
  #live: LiveSocket | null = null;
  /** From the last welcome, because `hello` precedes the next one. */
  #knowsAwaited = false;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  opened(channel: Channel, socket: ControlSocket): void {
    this.#socket = socket;
    this.#live?.close();
    this.#live = this.#deps.openSocket(channel);
    this.#hello(this.#live.out);
  }

  #hello(out: Outbound): void {
    const { attempts, owner } = this.#deps;
    const { engines, ...introduction } = owner.introduction();
    const known = this.#knowsAwaited ? engines : engines?.filter(mayBeAsked);
    out.control({
      type: 'hello',
      ...introduction,
      ...(known === undefined ? {} : { engines: known }),
      slots: attempts.slots(),
      draining: attempts.draining(),
      held: attempts.held(),
    });
  }

  /**
   * Sends `hello` again after this runner's properties changed. That begins a new session on the
   * same socket, and attempts continue. Without a session the next `hello` includes the change.
   */
  introduceAnew(): void {
    if (this.isWelcomed && this.#live !== null) this.#hello(this.#live.out);
  }

  closed(): void {
    const { leases, calls } = this.#deps;
    leases.cancel();
    this.#live?.close();
    this.#live = null;
    calls.detach();
  }

  text(data: string): void {
    const { messages, unreadable } = decodeFrame(data);
    for (const problem of unreadable) this.#refuse(problem);
    for (const message of messages) {
      try {
        this.#handle(message);
      } catch (error) {
        // A message that cannot be handled (on a full disk, for example) must not end the runner.
        this.#deps.log.error('a message failed', { type: message.type, error: messageOf(error) });
      }
    }
  }

  get isWelcomed(): boolean {
    return this.#live !== null && this.#live.flow !== null;
  }

  /** Sends live text, which may be lost; dropped without a session or without possible viewers. */
  delta(ref: LeaseRef, item: LiveTextItem): void {
    if (this.#live?.showsText === true) this.#live.out.delta(ref, item);
  }

  /** Sends what is due after an attempt has changed (it ended, or its container died). */
  wake(): void {
    this.#live?.out.dataNow();
  }

  /** Releases a lease; without a session the next inventory implies it by omission. */
  released(ref: LeaseRef, { why, orderly }: GivenBack): void {
    if (!this.isWelcomed) return;
    this.#live?.flow?.close(ref);
    this.#live?.out.control({
      type: 'released',
      ...ref,
      why: cutText(why, 400),
      container: 'dead',
      ...(orderly ? { orderly } : {}),
    });
  }

  /** Tells the control plane to send no more offers. */
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

  #handleWelcomed(message: ControlPlaneMessage, live: LiveSocket, flow: StreamFlow): void {
    const { attempts, leases, calls, log } = this.#deps;
    switch (message.type) {
      case 'offer':
        return this.#offer(message);
      case 'granted':
        leases.answered(message.ref, message.ttlMs);
        if (!flow.isOpen(message)) flow.open(refOf(message), 0);
        return attempts.granted(message);
      case 'renewed':
        leases.answered(message.ref, message.ttlMs);
        for (const verdict of message.verdicts) this.#obey(verdict);
        return;
      case 'ack':
        if (this.#lostEvents(message, message.upto)) return;
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
        live.finishes.forget(message);
        return attempts.finished(refOf(message));
      case 'fence':
        return this.#fence(message, { answersFinish: live.finishes.wasLate(message) });
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
    const { owner, calls, attempts } = this.#deps;
    const flow = live.welcomed(message);
    this.#knowsAwaited = message.features?.includes(AWAITED_ENGINE_FEATURE) === true;
    this.#socket?.healthy(message.pingMs);
    calls.attach((outgoing) => live.out.control(outgoing));
    for (const verdict of message.verdicts) this.#obey(verdict);
    attempts.welcomed();
    this.#renew();
    live.out.startData(flow);
    owner.welcomed(message.session);
  }

  #obey(verdict: Verdict): void {
    const { attempts } = this.#deps;
    const ref = refOf(verdict);
    if (verdict.verdict === 'stop') return this.#fence({ ...ref, code: verdict.code });
    if (attempts.awaitsGrant(ref)) {
      // Events arrived under it: a copy of this disk was granted the lease, or this host has lost
      // that record.
      const begun = verdict.verdict === 'keep' && verdict.ackedSeq > 0;
      return begun ? this.#fence({ ...ref, code: 'LEASE_LOST' }) : this.#accept(ref);
    }
    if (verdict.verdict === 'offered') return;
    if (this.#lostEvents(ref, verdict.ackedSeq)) return;
    const flow = this.#live?.flow;
    if (flow != null && !flow.isOpen(ref)) flow.open(ref, verdict.ackedSeq);
    attempts.keep(verdict);
    if (attempts.needsToken(ref)) this.#accept(ref);
  }

  /**
   * Whether this host lost events that the control plane has. New ones would reuse their numbers
   * and never be stored, so the attempt is abandoned.
   */
  #lostEvents(ref: LeaseRef, storedSeq: number): boolean {
    const flow = this.#live?.flow;
    if (flow?.hasLost(ref, storedSeq) !== true) return false;
    flow.close(ref);
    this.#deps.attempts.refused(ref.attemptId, 'this host lost events that the control plane has');
    return true;
  }

  #order(ref: LeaseRef, order: Partial<Extract<Verdict, { verdict: 'keep' }>>): void {
    this.#deps.attempts.keep({ ...refOf(ref), verdict: 'keep', ackedSeq: 0, ...order });
  }

  #offer(message: ControlPlaneMessageOf<'offer'>): void {
    const answer = this.#deps.attempts.offer(message);
    if (answer.accepted) return this.#accept(message);
    const explained =
      answer.message === undefined ? {} : { message: cutText(answer.message, 1_000) };
    this.#live?.out.control({
      type: 'decline',
      ...refOf(message),
      code: answer.code,
      ...explained,
    });
  }

  #accept(ref: LeaseRef): void {
    this.#deps.leases.accept(this.#live?.out, ref);
  }

  /** Handles a fence; `answersFinish`: the end of the lease is not accepted either. */
  #fence(
    message: LeaseRef & { code: ControlPlaneMessageOf<'fence'>['code'] },
    { answersFinish = false }: { answersFinish?: boolean } = {},
  ): void {
    const { owner, attempts, log } = this.#deps;
    const ref = refOf(message);
    log.warn('fenced', { ...ref, code: message.code });
    if (message.code === 'STALE_SESSION') return this.#leaveToAnother();
    this.#live?.flow?.close(ref);
    const isTaken = message.code === 'LEASE_LOST' && this.#live?.takesLateEnds === true;
    attempts.fenced(ref, { code: message.code, mayReport: isTaken && !answersFinish });
    this.#live?.out.dataSoon();
    if (message.code === 'RUNNER_REVOKED') owner.revoked();
  }

  #leaveToAnother(): void {
    this.#socket?.reconnect('another process speaks for this runner', { patient: true });
  }

  /** Requests a lease at once, for work that must not run without one. */
  askForLease(): void {
    if (this.isWelcomed) this.#renew();
  }

  #renew(): void {
    const live = this.#live;
    if (live === null) return;
    const { leases } = this.#deps;
    leases.renew(live.out);
    for (const stuck of live.flow?.stuck() ?? []) live.flow?.rewind(stuck);
    live.out.dataSoon();
    leases.schedule(live.renewMs, () => this.#renew());
  }

  #error(message: ControlPlaneMessageOf<'error'>): void {
    const fields = { code: message.code, message: message.message, attemptId: message.attemptId };
    this.#deps.log.warn('the control plane reports an error', {
      ...fields,
      retryable: message.retryable,
    });
    if (message.code === 'STALE_SESSION') return this.#leaveToAnother();
    const live = this.#live;
    if (live === null) return;
    if (!message.retryable) return this.#finalError(message, live);
    live.after(message.retryAfterMs ?? 1_000, () => this.#retry(live, message.attemptId));
  }

  /** Handles an error; only what can never be stored ends an attempt, never a doubt. */
  #finalError(message: ControlPlaneMessageOf<'error'>, live: LiveSocket): void {
    const { owner, attempts } = this.#deps;
    const { code, attemptId } = message;
    if (code === 'RUNNER_REVOKED') return owner.revoked();
    if (live.flow === null)
      return this.#socket?.reconnect(`${code}: ${message.message}`, { patient: true });
    if (attemptId !== undefined && UNSTORABLE.has(code))
      attempts.refused(attemptId, message.message);
  }

  #retry(live: LiveSocket, attemptId: string | undefined): void {
    // Without a welcome nothing proceeds; the pings would keep the socket open until the limit on
    // waiting for a welcome.
    if (live.flow === null) return this.#hello(live.out);
    for (const item of this.#deps.attempts.held()) {
      if (attemptId !== undefined && item.attemptId !== attemptId) continue;
      live.flow.rewind(item);
      live.finishes.forget(item);
      if (this.#deps.attempts.awaitsGrant(item)) this.#accept(item);
    }
    live.out.dataNow();
  }

  #goaway(message: ControlPlaneMessageOf<'goaway'>): void {
    const { reason, afterMs: withinMs } = message;
    this.#deps.log.info('asked to reconnect', { why: reason, withinMs });
    this.#socket?.reconnectWithin(withinMs, `goaway: ${reason}`);
  }

  #refuse(problem: Unreadable): void {
    this.#deps.log.warn('unreadable message', { type: problem.type, why: problem.why });
    this.#live?.out.control(unreadableAnswer(problem));
  }
}

function refOf(message: LeaseRef): LeaseRef {
  return { attemptId: message.attemptId, epoch: message.epoch };
}

/**
 * Whether an engine may be announced to a control plane that does not know `state` and would offer
 * unavailable work again and again.
 */
function mayBeAsked({ state }: RunnerEngine): boolean {
  return state === undefined || state === 'fetchable';
}
