import type {
  ControlPlaneMessageOf,
  HeldItem,
  SteerOrder,
} from '@switchyard/shared/protocol/messages';
import { messageOf } from '@switchyard/shared/message-of';
import type {
  AttemptPort,
  Fence,
  KeepVerdict,
  Load,
  OfferAnswer,
} from '../connection/attempt-port.ts';
import type { Finish, Journal } from '../connection/journal/journal.ts';
import type { Spool } from '../connection/journal/spool.ts';
import { type LeaseRef, leaseKey } from '../connection/lease-ref.ts';
import type { Log } from '../log.ts';
import type { RunnerSettings } from '../run-options.ts';
import { isAdoptable } from './adopt-attempt.ts';
import type { AttemptStarter } from './attempt-starter.ts';
import type { HeldAttempt } from './held-attempt.ts';
import { inventoryOf } from './inventory-of.ts';
import type { ContainerEngine } from '../container/container-engine.ts';
import type { HostCapacity } from './offers/host-capacity.ts';
import type { LeaseReaper } from './session/lease-reaper.ts';
import { settleAttempt } from './settle-attempt.ts';

export type AttemptHostDeps = {
  journal: Journal;
  spool: Spool;
  reaper: LeaseReaper;
  capacity: HostCapacity;
  starter: AttemptStarter;
  log: Log;
};

/** All leases of this host, from `accept` to `finished`. */
export class AttemptHost implements AttemptPort {
  readonly #deps: AttemptHostDeps;
  readonly #settings: Pick<RunnerSettings, 'runnerId' | 'bootId'>;
  readonly #live = new Map<string, HeldAttempt>();
  #wasWelcomed = false;

  constructor(deps: AttemptHostDeps, settings: Pick<RunnerSettings, 'runnerId' | 'bootId'>) {
    this.#deps = deps;
    this.#settings = settings;
  }

  /**
   * Called before the first hello: finds containers of a former process and ends only overdue ones.
   */
  boot(): Promise<void> {
    return this.#deps.reaper.boot();
  }

  /**
   * Called when an isolation becomes available after the start: ends containers of a former process
   * in it.
   */
  isolationCame(came: ContainerEngine): void {
    const { reaper, log } = this.#deps;
    reaper.endFormer(came).catch((error: unknown) => {
      log.warn('what a former process left could not be looked for', { error: messageOf(error) });
    });
  }

  slots(): { total: number; free: number } {
    return this.#deps.capacity.slots(this.held().length);
  }

  held(): HeldItem[] {
    const { journal, spool, reaper } = this.#deps;
    return inventoryOf(journal, spool, reaper);
  }

  load(): Load {
    const { journal, capacity } = this.#deps;
    const { runnerId, bootId } = this.#settings;
    const running = journal.list().flatMap(({ attemptId, epoch, containerId }) => {
      const owner = { runnerId, attemptId, epoch, bootId };
      return containerId === null ? [] : [{ containerId, owner }];
    });
    return capacity.load(running);
  }

  offer(offer: ControlPlaneMessageOf<'offer'>): OfferAnswer {
    const { journal, spool, reaper, capacity, log } = this.#deps;
    const { attemptId, epoch, spec } = offer;
    const ref = { attemptId, epoch };
    if (journal.get(ref) !== null) return { accepted: true };
    const answer = capacity.judge(offer, {
      used: this.held().length,
      entries: journal.list(),
      attemptIsDying: reaper.mayHaveContainer(attemptId),
    });
    if (!answer.accepted) return answer;
    try {
      journal.accept(ref, spec, this.#settings.bootId);
      spool.open(ref);
    } catch (error) {
      log.error('a lease could not be recorded', { ...ref, error: messageOf(error) });
      return { accepted: false, code: 'DISK_LOW', message: 'the lease could not be recorded' };
    }
    log.info('offer accepted', { ...ref, issue: spec.issue.identifier });
    return { accepted: true };
  }

  awaitsGrant(ref: LeaseRef): boolean {
    const entry = this.#deps.journal.get(ref);
    return entry !== null && !entry.granted && entry.finish === null;
  }

  granted(grant: ControlPlaneMessageOf<'granted'>): void {
    const { starter } = this.#deps;
    const held = this.#live.get(leaseKey(grant));
    if (held !== undefined) return starter.renew(held, grant);
    const started = this.awaitsGrant(grant) ? starter.start(grant) : null;
    if (started !== null) this.#hold(started);
  }

  needsToken(ref: LeaseRef): boolean {
    return this.#live.get(leaseKey(ref))?.token.value === '';
  }

  refused(attemptId: string, why: string): void {
    const { journal, reaper, log } = this.#deps;
    for (const entry of journal.list().filter((one) => one.attemptId === attemptId)) {
      log.error('the control plane cannot take what this attempt says', {
        attemptId,
        epoch: entry.epoch,
        why,
      });
      const held = this.#live.get(leaseKey(entry));
      if (held === undefined) reaper.reap(entry, 'refused');
      else {
        const given = { why: `its events were refused: ${why}`, orderly: false };
        held.context.control.stop({ kind: 'release', ...given });
      }
    }
  }

  keep(verdict: KeepVerdict): void {
    const ref = { attemptId: verdict.attemptId, epoch: verdict.epoch };
    const held = this.#live.get(leaseKey(ref)) ?? this.#adopt(ref, verdict.attemptToken ?? '');
    if (held === null) return;
    if (verdict.attemptToken !== undefined) held.token.value = verdict.attemptToken;
    const { control } = held.context;
    if (verdict.cancel !== undefined) control.stop({ kind: 'cancel', ...verdict.cancel });
    for (const steer of verdict.steers ?? []) void control.steer(steer);
    for (const answer of verdict.answers ?? []) control.answer(answer);
  }

  /** Sends a message to the live turn of an attempt; false when no turn accepts it now. */
  async steer(ref: LeaseRef, order: SteerOrder): Promise<boolean> {
    const held = this.#live.get(leaseKey(ref));
    return held === undefined ? false : held.context.control.steer(order);
  }

  fenced(ref: LeaseRef, { code, mayReport }: Fence): void {
    const held = this.#live.get(leaseKey(ref));
    if (held !== undefined) return held.context.control.stop({ kind: 'fence', code, mayReport });
    const { journal, reaper } = this.#deps;
    const entry = journal.get(ref);
    if (entry === null) return reaper.reapFound(ref);
    if (mayReport && entry.finish !== null) return;
    const { delivery, merged } = entry.progress;
    const isKept = mayReport && (delivery ?? merged) !== undefined;
    reaper.reap(entry, isKept ? 'lease_expired' : 'fence');
  }

  leaseExpired(): void {
    const { journal, reaper, log } = this.#deps;
    // A lease that was only accepted has no container yet, and the grant that it awaits renews it.
    const entries = journal.list().filter((entry) => entry.granted && entry.finish === null);
    if (entries.length > 0)
      log.error('the lease ended without a renewal; stopping', { attempts: entries.length });
    for (const entry of entries) {
      const held = this.#live.get(leaseKey(entry));
      if (held === undefined) reaper.reap(entry, 'lease_expired');
      else held.context.control.stop({ kind: 'lease_expired' });
    }
  }

  /**
   * Called after the first welcome. A lease it does not mention does not exist any more, and
   * nothing else would end it.
   */
  welcomed(): void {
    if (this.#wasWelcomed) return;
    this.#wasWelcomed = true;
    const { journal, reaper } = this.#deps;
    for (const entry of journal.list()) {
      if (entry.granted && entry.finish === null && !this.#live.has(leaseKey(entry)))
        reaper.reap(entry, 'unspoken');
    }
    reaper.reapAllFound();
  }

  finishes(): Finish[] {
    return this.#deps.journal
      .list()
      .flatMap(({ finish, phase }) => (finish === null || phase === 'dying' ? [] : [finish]));
  }

  finished(ref: LeaseRef): void {
    const { journal, spool, log } = this.#deps;
    if (journal.get(ref)?.finish == null) return;
    journal.remove(ref);
    spool.drop(ref);
    log.info('finished', ref);
  }

  draining(): boolean {
    return this.#deps.capacity.isDraining;
  }

  drain(deadlineMs: number): void {
    const { capacity, log } = this.#deps;
    if (capacity.isDraining) return;
    log.info('draining', { deadlineMs });
    capacity.drain(deadlineMs, () => this.releaseAll('the runner was drained'));
  }

  undrain(): void {
    const { capacity, log } = this.#deps;
    if (capacity.undrain()) log.info('no longer draining');
  }

  /** Ends every attempt and releases its lease once its container is removed. */
  releaseAll(why: string): void {
    this.#deps.capacity.close();
    for (const held of this.#live.values())
      held.context.control.stop({ kind: 'release', why, orderly: true });
  }

  /** Whether no attempt is running or ending in this process. */
  isIdle(): boolean {
    return this.#live.size === 0 && this.#deps.reaper.isIdle;
  }

  /**
   * Takes over a lease from the journal that no attempt of this process serves. Null when it is
   * unknown, over or ending, or cannot be continued, which releases it.
   */
  #adopt(ref: LeaseRef, token: string): HeldAttempt | null {
    const { journal, spool, reaper, starter, log } = this.#deps;
    const entry = journal.get(ref);
    if (entry === null || entry.finish !== null || reaper.isDying(ref)) return null;
    const container = reaper.peek(ref);
    const isKnown = spool.loadEngine(ref) !== null;
    if (container === null || !isKnown || !isAdoptable(entry)) {
      log.warn('an attempt of a former process cannot be continued', {
        ...ref,
        phase: entry.phase,
      });
      reaper.reap(entry, 'not_adoptable');
      return null;
    }
    log.info('adopting', ref);
    reaper.take(ref);
    const held = starter.adopt(entry, container, token);
    this.#hold(held);
    return held;
  }

  #hold(held: HeldAttempt): void {
    const { context, done } = held;
    const { ref } = context;
    this.#live.set(leaseKey(ref), held);
    const forget = () => void this.#live.delete(leaseKey(ref));
    done
      .then((end) => settleAttempt(context, end, forget))
      .catch((error: unknown) =>
        this.#deps.log.error('an end was not recorded', { ...ref, error: messageOf(error) }),
      );
  }
}
