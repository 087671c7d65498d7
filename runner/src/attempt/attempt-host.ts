import type {
  ControlPlaneMessageOf,
  FenceCode,
  HeldItem,
  SteerOrder,
} from '@switchyard/shared/protocol/messages';
import type {
  AttemptPort,
  GivenBack,
  KeepVerdict,
  Load,
  OfferAnswer,
} from '../connection/attempt-port.ts';
import type { Finish, JournalEntry } from '../connection/journal.ts';
import type { LeaseRef } from '../connection/lease-ref.ts';
import { leaseKey } from '../connection/lease-ref.ts';
import { sleep } from '../connection/clock.ts';
import { messageOf } from '../connection/log.ts';
import { adoptAttempt, isAdoptable } from './adopt-attempt.ts';
import type { StopOrder } from './attempt-control.ts';
import type { AttemptContext, AttemptDeps } from './attempt-deps.ts';
import { isolationProblem } from './check-isolation.ts';
import type { AttemptEnd } from './attempt-end.ts';
import { DiskWatch } from './disk-watch.ts';
import type { HeldAttempt } from './held-attempt.ts';
import { contextOf, finishOf } from './held-attempt.ts';
import { judgeOffer } from './judge-offer.ts';
import { LoadGauge } from './load-gauge.ts';
import { LeaseReaper } from './lease-reaper.ts';
import { runAttempt, worldOf } from './run-attempt.ts';

/** How long the last events of a lease that is given back are waited for. */
const FLUSH_LIMIT_MS = 1_500;
const FLUSH_POLL_MS = 50;

export type AttemptHostOptions = AttemptDeps & {
  slots: number;
  /** Identities that this data folder had before. */
  formerRunnerIds: readonly string[];
  /** The runner-wide lease: containers are made only while it lives. */
  leaseIsLive(): boolean;
  unseal(sealed: string): Promise<{ providerApiKey?: string | undefined }>;
};

/** Every lease this host holds, from `accept` to `finished`. */
export class AttemptHost implements AttemptPort {
  readonly #options: AttemptHostOptions;
  readonly #live = new Map<string, HeldAttempt>();
  readonly #reaper: LeaseReaper;
  readonly #disk: DiskWatch;
  readonly #gauge: LoadGauge;
  #draining = false;
  /** Null while no order to drain could be taken back. */
  #undoDrain: (() => void) | null = null;
  #wasWelcomed = false;

  constructor(options: AttemptHostOptions) {
    this.#options = options;
    this.#reaper = new LeaseReaper(options);
    this.#gauge = new LoadGauge(options);
    this.#disk = new DiskWatch(options.dataDir, options);
  }

  /** Before the first hello: finds what a former process left running. Kills only what is overdue. */
  boot(): Promise<void> {
    return this.#reaper.boot(this.#options.formerRunnerIds);
  }

  slots(): { total: number; free: number } {
    const total = this.#options.slots;
    const closed = this.#draining || this.#disk.isLow;
    return { total, free: closed ? 0 : Math.max(0, total - this.held().length) };
  }

  held(): HeldItem[] {
    const items = new Map<string, HeldItem>();
    for (const item of this.#reaper.items()) items.set(leaseKey(item), item);
    for (const entry of this.#options.journal.list())
      items.set(leaseKey(entry), this.#itemOf(entry));
    return [...items.values()];
  }

  load(): Load {
    const { journal, runnerId, bootId } = this.#options;
    const running = journal.list().flatMap(({ attemptId, epoch, containerId }) => {
      const owner = { runnerId, attemptId, epoch, bootId };
      return containerId === null ? [] : [{ containerId, owner }];
    });
    return this.#gauge.read(running);
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
    if (held !== undefined) return this.#grantAgain(held, grant);
    if (!this.awaitsGrant(ref)) return;
    if (!leaseIsLive()) return log.warn('a grant came too late to be used', ref);
    journal.update(ref, { granted: true, phase: 'starting' });
    const entry = journal.get(ref);
    if (entry === null) return;
    this.#begin(entry, grant.attemptToken, this.#unseal(grant));
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

  /** Puts words into the live turn of an attempt; false when no turn of it takes them now. */
  async steer(ref: LeaseRef, order: SteerOrder): Promise<boolean> {
    const held = this.#live.get(leaseKey(ref));
    return held === undefined ? false : held.context.control.steer(order);
  }

  fenced(ref: LeaseRef, code: FenceCode): void {
    const held = this.#live.get(leaseKey(ref));
    if (held !== undefined) return held.context.control.stop({ kind: 'fence', code });
    const entry = this.#options.journal.get(ref);
    if (entry !== null) this.#reaper.reap(entry, 'fence');
    else this.#reaper.reapFound(ref);
  }

  leaseExpired(): void {
    const { journal, log } = this.#options;
    // One that was only accepted has no container yet: the grant it waits for is a lease anew.
    const entries = journal.list().filter((entry) => entry.granted && entry.finish === null);
    if (entries.length > 0)
      log.error('the lease ended without a renewal; stopping', { attempts: entries.length });
    for (const entry of entries) {
      const held = this.#live.get(leaseKey(entry));
      if (held === undefined) this.#reaper.reap(entry, 'lease_expired');
      else held.context.control.stop({ kind: 'lease_expired' });
    }
  }

  /** Whatever the first welcome did not speak of has no lease: nobody would ever end it. */
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
      .flatMap((entry) => (entry.finish === null ? [] : [entry.finish]));
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

  /** Ends every attempt here and gives its lease back once its container is gone. */
  releaseAll(why: string): void {
    this.#draining = true;
    this.#undoDrain = null;
    for (const held of this.#live.values())
      held.context.control.stop({ kind: 'release', why, orderly: true });
  }

  /** True when no attempt is running or ending in this process. */
  isIdle(): boolean {
    return this.#live.size === 0 && this.#reaper.isIdle;
  }

  #allowsImage(image: string | undefined): boolean {
    const { containers } = this.#options;
    return image === undefined || (containers.allowsImage?.(image) ?? true);
  }

  /** A later grant: a fresh upload token and, after an adoption, the key for the model proxy. */
  #grantAgain(held: HeldAttempt, grant: ControlPlaneMessageOf<'granted'>): void {
    const { journal, proxy, log } = this.#options;
    const adopted = held.token.value === '';
    held.token.value = grant.attemptToken;
    const { ref, spec } = held.context;
    const tokenHash = journal.get(ref)?.progress.proxyTokenHash;
    if (!adopted || tokenHash === undefined) return;
    const providerBaseUrl = spec.engine.provider.baseUrl;
    this.#unseal(grant)
      .then(({ providerApiKey }) =>
        proxy.adopt({
          ...{ ref, providerBaseUrl, apiKey: providerApiKey ?? null, tokenHash },
          world: worldOf(spec),
        }),
      )
      .catch((error: unknown) =>
        log.error('model access was not renewed', { ...ref, error: messageOf(error) }),
      );
  }

  #unseal({
    sealedSecrets,
  }: ControlPlaneMessageOf<'granted'>): Promise<{ providerApiKey?: string | undefined }> {
    return sealedSecrets === undefined ? Promise.resolve({}) : this.#options.unseal(sealedSecrets);
  }

  #begin(
    entry: JournalEntry,
    token: string,
    unsealed: Promise<{ providerApiKey?: string | undefined }>,
  ): void {
    const holder = { value: token };
    const context = contextOf(this.#options, entry, { token: holder, apiKey: null });
    const done = unsealed.then(
      (secrets) => runAttempt({ ...context, apiKey: secrets.providerApiKey ?? null }),
      (error: unknown): AttemptEnd => {
        context.liveness.stop();
        const message = `the provider's key could not be unsealed: ${messageOf(error)}`;
        return {
          outcome: 'failed',
          failureKind: 'auth_failed',
          message,
          marker: null,
          summary: null,
        };
      },
    );
    this.#hold({ context, token: holder, done });
  }

  /** A kept lease that no attempt of this process serves: goes on with it, or gives it back. */
  #adopt(ref: LeaseRef, token: string): HeldAttempt | null {
    const { journal, spool, log } = this.#options;
    const entry = journal.get(ref);
    if (entry === null || entry.finish !== null || this.#reaper.isDying(ref)) return null;
    const container = this.#reaper.peek(ref);
    if (container === null || !isAdoptable(entry, spool.loadEngine(ref) !== null)) {
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
    return held;
  }

  #hold(held: HeldAttempt): void {
    const { ref } = held.context;
    this.#live.set(leaseKey(ref), held);
    held.done
      .then((end) => this.#settle(held.context, end))
      .catch((error: unknown) =>
        this.#options.log.error('an end was not recorded', { ...ref, error: messageOf(error) }),
      );
  }

  /** The container is gone for certain when this is called. */
  async #settle(context: AttemptContext, end: AttemptEnd | null): Promise<void> {
    const { journal, spool, uplink, log } = this.#options;
    const { ref, control } = context;
    context.recorder.close();
    const stream = spool.seal(ref);
    // A lease that is given back takes no more events: what was said goes first.
    if (control.order?.kind === 'release') await this.#flushed(ref);
    this.#live.delete(leaseKey(ref));
    const { order } = control;
    if (end === null || stream === null) {
      log.info('attempt given up', { ...ref, why: order?.kind });
      this.#reaper.letGo(ref, order?.kind === 'fence' ? null : givenBack(order));
      return;
    }
    log.info('attempt ended', {
      ...ref,
      outcome: end.outcome,
      failureKind: end.failureKind,
      message: end.message,
    });
    journal.update(ref, {
      phase: 'finishing',
      containerId: null,
      finish: finishOf(ref, stream, end),
    });
    uplink.ended();
  }

  async #flushed(ref: LeaseRef): Promise<void> {
    const { spool, clock, uplink } = this.#options;
    const endMs = clock.monotonicMs() + FLUSH_LIMIT_MS;
    for (;;) {
      const stream = spool.stream(ref);
      if (stream === null || stream.ackedSeq === stream.spooledSeq) return;
      if (clock.monotonicMs() >= endMs) return;
      uplink.ended();
      await sleep(clock, FLUSH_POLL_MS);
    }
  }

  #itemOf(entry: JournalEntry): HeldItem {
    const stream = this.#options.spool.stream(entry);
    const containerId = entry.containerId ?? this.#reaper.peek(entry)?.containerId ?? null;
    const { attemptId, epoch, phase } = entry;
    return {
      attemptId,
      epoch,
      phase,
      containerId,
      spooledSeq: stream?.spooledSeq ?? 0,
      ackedSeq: stream?.ackedSeq ?? 0,
    };
  }
}

function givenBack(order: StopOrder | null): GivenBack {
  if (order?.kind === 'release') return { why: order.why, orderly: order.orderly };
  const expired = order?.kind === 'lease_expired';
  const why = expired ? 'the lease ended without a renewal' : (order?.kind ?? 'no stream');
  return { why, orderly: false };
}
