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
import type { Finish } from '../connection/journal/journal.ts';
import { type LeaseRef, leaseKey } from '../connection/lease-ref.ts';
import { adoptAttempt, isAdoptable } from './adopt-attempt.ts';
import type { AttemptDeps } from './attempt-deps.ts';
import { isolationProblem } from './session/isolation-problem.ts';
import { DiskWatch } from './watch/disk-watch.ts';
import { type HeldAttempt, contextOf } from './held-attempt.ts';
import { inventoryOf } from './inventory-of.ts';
import { judgeOffer } from './judge-offer.ts';
import type { ContainerEngine, ContainerName } from '../container/container-engine.ts';
import { LoadGauge } from './watch/load-gauge.ts';
import { LeaseReaper } from './session/lease-reaper.ts';
import { type UnsealedSecrets, beginAttempt, renewAccess } from './begin-attempt.ts';
import { settleAttempt } from './settle-attempt.ts';

export type AttemptHostOptions = AttemptDeps & {
  slots: number;
  /** Former runner ids of this data folder. */
  formerRunnerIds: readonly string[];
  /** Whether the runner's lease is live: containers are started only then. */
  leaseIsLive(): boolean;
  unseal(sealed: string): Promise<UnsealedSecrets>;
  /** Called when a container's first figures are known, to report them with a renewal. */
  loadKnown?(): void;
  /**
   * Why an engine is not ready yet, for people; starts its download. Null when it is ready. Left
   * out: engines are not downloaded.
   */
  awaitEngine?(name: string | undefined): string | null;
  /** Whether agents cannot be isolated at the moment. Left out: they always can. */
  isClosed?(): boolean;
};

/** All leases of this host, from `accept` to `finished`. */
export class AttemptHost implements AttemptPort {
  readonly #options: AttemptHostOptions;
  readonly #live = new Map<string, HeldAttempt>();
  readonly #reaper: LeaseReaper;
  readonly #disk: DiskWatch;
  readonly #gauge: LoadGauge;
  #draining = false;
  /** Null while there is no drain order that could be undone. */
  #undoDrain: (() => void) | null = null;
  #wasWelcomed = false;

  constructor(options: AttemptHostOptions) {
    this.#options = options;
    this.#reaper = new LeaseReaper(options);
    this.#gauge = new LoadGauge(options);
    this.#disk = new DiskWatch(options.dataDir, options);
  }

  /**
   * Called before the first hello: finds containers of a former process and ends only overdue ones.
   */
  boot(): Promise<void> {
    return this.#reaper.boot(this.#options.formerRunnerIds);
  }

  /**
   * Called when an isolation becomes available after the start: ends containers of a former process
   * in it.
   */
  isolationCame(came: ContainerEngine): void {
    const { formerRunnerIds, log } = this.#options;
    this.#reaper.endFormer(came, formerRunnerIds).catch((error: unknown) => {
      log.warn('what a former process left could not be looked for', { error: messageOf(error) });
    });
  }

  slots(): { total: number; free: number } {
    const total = this.#options.slots;
    const closed = this.#draining || this.#disk.isLow || this.#options.isClosed?.() === true;
    return { total, free: closed ? 0 : Math.max(0, total - this.held().length) };
  }

  held(): HeldItem[] {
    return inventoryOf(this.#options, this.#reaper);
  }

  load(): Load {
    const { journal, runnerId, bootId } = this.#options;
    const running = journal.list().flatMap(({ attemptId, epoch, containerId }) => {
      const owner = { runnerId, attemptId, epoch, bootId };
      return containerId === null ? [] : [{ containerId, owner }];
    });
    return this.#gauge.read(running);
  }

  /** Reports a container's load within seconds, not only with a later renewal. */
  #follow(container: ContainerName): void {
    this.#gauge.follow(container, () => this.#options.loadKnown?.());
  }

  offer(offer: ControlPlaneMessageOf<'offer'>): OfferAnswer {
    const { journal, spool, engine, bootId, log } = this.#options;
    const { attemptId, epoch, spec } = offer;
    const ref = { attemptId, epoch };
    if (journal.get(ref) !== null) return { accepted: true };
    const answer = judgeOffer(attemptId, spec, {
      draining: this.#draining,
      diskLow: this.#disk.isLow,
      freeSlots: this.slots().free,
      entries: journal.list(),
      hasEngine: engine(spec.engine.name) !== null,
      engineWait: this.#draining ? null : (this.#options.awaitEngine?.(spec.engine.name) ?? null),
      isolationProblem: isolationProblem(this.#options.containers, spec.sandbox),
      isAllowedImage: this.#allowsImage(spec.sandbox.image),
      attemptIsDying: this.#reaper.mayHaveContainer(attemptId),
    });
    if (!answer.accepted) return answer;
    try {
      journal.accept(ref, spec, bootId);
      spool.open(ref);
    } catch (error) {
      log.error('a lease could not be recorded', { ...ref, error: messageOf(error) });
      return { accepted: false, code: 'DISK_LOW', message: 'the lease could not be recorded' };
    }
    log.info('offer accepted', { ...ref, issue: spec.issue.identifier });
    return { accepted: true };
  }

  awaitsGrant(ref: LeaseRef): boolean {
    const entry = this.#options.journal.get(ref);
    return entry !== null && !entry.granted && entry.finish === null;
  }

  granted(grant: ControlPlaneMessageOf<'granted'>): void {
    const { journal, leaseIsLive, log } = this.#options;
    const ref = { attemptId: grant.attemptId, epoch: grant.epoch };
    const held = this.#live.get(leaseKey(ref));
    const { attemptToken } = grant;
    const unseal = () => this.#unseal(grant);
    if (held !== undefined) return renewAccess(held, attemptToken, unseal);
    if (!this.awaitsGrant(ref)) return;
    if (!leaseIsLive()) return log.warn('a grant came too late to be used', ref);
    const { isolation } = this.#options.containers;
    journal.update(ref, { granted: true, phase: 'starting', progress: { isolation } });
    const entry = journal.get(ref);
    if (entry === null) return;
    const deps = { ...this.#options, containerRuns: (name: ContainerName) => this.#follow(name) };
    this.#hold(beginAttempt(deps, entry, attemptToken, unseal()));
  }

  needsToken(ref: LeaseRef): boolean {
    return this.#live.get(leaseKey(ref))?.token.value === '';
  }

  refused(attemptId: string, why: string): void {
    const { journal, log } = this.#options;
    for (const entry of journal.list().filter((one) => one.attemptId === attemptId)) {
      log.error('the control plane cannot take what this attempt says', {
        attemptId,
        epoch: entry.epoch,
        why,
      });
      const held = this.#live.get(leaseKey(entry));
      if (held === undefined) this.#reaper.reap(entry, 'refused');
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
    const entry = this.#options.journal.get(ref);
    if (entry === null) return this.#reaper.reapFound(ref);
    if (mayReport && entry.finish !== null) return;
    const isKept = mayReport && entry.progress.delivery !== undefined;
    this.#reaper.reap(entry, isKept ? 'lease_expired' : 'fence');
  }

  leaseExpired(): void {
    const { journal, log } = this.#options;
    // A lease that was only accepted has no container yet, and the grant that it awaits renews it.
    const entries = journal.list().filter((entry) => entry.granted && entry.finish === null);
    if (entries.length > 0)
      log.error('the lease ended without a renewal; stopping', { attempts: entries.length });
    for (const entry of entries) {
      const held = this.#live.get(leaseKey(entry));
      if (held === undefined) this.#reaper.reap(entry, 'lease_expired');
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
    const { journal } = this.#options;
    for (const entry of journal.list()) {
      if (entry.granted && entry.finish === null && !this.#live.has(leaseKey(entry)))
        this.#reaper.reap(entry, 'unspoken');
    }
    this.#reaper.reapAllFound();
  }

  finishes(): Finish[] {
    return this.#options.journal
      .list()
      .flatMap(({ finish, phase }) => (finish === null || phase === 'dying' ? [] : [finish]));
  }

  finished(ref: LeaseRef): void {
    const { journal, spool, log } = this.#options;
    if (journal.get(ref)?.finish == null) return;
    journal.remove(ref);
    spool.drop(ref);
    log.info('finished', ref);
  }

  draining(): boolean {
    return this.#draining;
  }

  drain(deadlineMs: number): void {
    const { clock, log } = this.#options;
    if (this.#draining) return;
    this.#draining = true;
    log.info('draining', { deadlineMs });
    this.#undoDrain = clock.after(deadlineMs, () => this.releaseAll('the runner was drained'));
  }

  undrain(): void {
    if (this.#undoDrain === null) return;
    this.#undoDrain();
    this.#undoDrain = null;
    this.#draining = false;
    this.#options.log.info('no longer draining');
  }

  /** Ends every attempt and releases its lease once its container is removed. */
  releaseAll(why: string): void {
    this.#draining = true;
    this.#undoDrain = null;
    for (const held of this.#live.values())
      held.context.control.stop({ kind: 'release', why, orderly: true });
  }

  /** Whether no attempt is running or ending in this process. */
  isIdle(): boolean {
    return this.#live.size === 0 && this.#reaper.isIdle;
  }

  #allowsImage(image: string | undefined): boolean {
    const { containers } = this.#options;
    return image === undefined || (containers.allowsImage?.(image) ?? true);
  }

  #unseal({ sealedSecrets }: ControlPlaneMessageOf<'granted'>): Promise<UnsealedSecrets> {
    return sealedSecrets === undefined ? Promise.resolve({}) : this.#options.unseal(sealedSecrets);
  }

  /**
   * Takes over a lease from the journal that no attempt of this process serves. Null when it is
   * unknown, over or ending, or cannot be continued, which releases it.
   */
  #adopt(ref: LeaseRef, token: string): HeldAttempt | null {
    const { journal, spool, log } = this.#options;
    const entry = journal.get(ref);
    if (entry === null || entry.finish !== null || this.#reaper.isDying(ref)) return null;
    const container = this.#reaper.peek(ref);
    const isKnown = spool.loadEngine(ref) !== null;
    if (container === null || !isKnown || !isAdoptable(entry)) {
      log.warn('an attempt of a former process cannot be continued', {
        ...ref,
        phase: entry.phase,
      });
      this.#reaper.reap(entry, 'not_adoptable');
      return null;
    }
    log.info('adopting', ref);
    this.#reaper.take(ref);
    const holder = { value: token };
    const context = contextOf(this.#options, entry, { token: holder, apiKey: null });
    const held = { context, token: holder, done: adoptAttempt(context, entry, container) };
    this.#hold(held);
    this.#follow({ containerId: container.containerId, owner: context.owner });
    return held;
  }

  #hold(held: HeldAttempt): void {
    const { context, done } = held;
    const { ref } = context;
    this.#live.set(leaseKey(ref), held);
    const forget = () => void this.#live.delete(leaseKey(ref));
    done
      .then((end) => settleAttempt(context, end, { reaper: this.#reaper, forget }))
      .catch((error: unknown) =>
        this.#options.log.error('an end was not recorded', { ...ref, error: messageOf(error) }),
      );
  }
}
