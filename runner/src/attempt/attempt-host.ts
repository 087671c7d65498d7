import { statfs } from 'node:fs/promises';
import type {
  ControlPlaneMessageOf,
  FenceCode,
  HeldItem,
} from '@switchyard/shared/protocol/messages';
import type { AttemptPort, KeepVerdict, Load, OfferAnswer } from '../connection/attempt-port.ts';
import type { Finish, JournalEntry } from '../connection/journal.ts';
import type { LeaseRef } from '../connection/lease-ref.ts';
import { leaseKey } from '../connection/lease-ref.ts';
import { sleep } from '../connection/clock.ts';
import { messageOf } from '../connection/log.ts';
import type { EngineContainer } from '../container/container-engine.ts';
import { adoptAttempt, isAdoptable } from './adopt-attempt.ts';
import type { StopOrder } from './attempt-control.ts';
import type { AttemptContext, AttemptDeps } from './attempt-deps.ts';
import type { AttemptEnd } from './attempt-end.ts';
import { endEngine, stopForSure } from './end-engine.ts';
import { closeEngineHome } from './engine-home.ts';
import type { HeldAttempt } from './held-attempt.ts';
import { contextOf, finishOf } from './held-attempt.ts';
import { runAttempt } from './run-attempt.ts';
import { homeOf, launchOf } from './start-engine.ts';

/** Attempt ids become folder and container names. */
const SAFE_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** Below this a workspace and its build hardly fit, and a full disk hurts everyone. */
const MIN_FREE_BYTES = 1_073_741_824;
const DISK_CHECK_MS = 15_000;
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
  /** Labelled containers that no live attempt of this process speaks to yet. */
  readonly #found = new Map<string, EngineContainer>();
  /** Leases whose container is being ended without a word. */
  readonly #dying = new Map<string, LeaseRef & { containerId: string | null }>();
  #draining = false;
  #diskLow = false;
  #wasWelcomed = false;

  constructor(options: AttemptHostOptions) {
    this.#options = options;
    this.#watchDisk();
  }

  /** Before the first hello: finds what a former process left running. Kills only what is overdue. */
  async boot(): Promise<void> {
    const { containers, runnerId, journal, clock, spool, log } = this.#options;
    for (const former of this.#options.formerRunnerIds) await this.#endForeign(former);
    for (const container of await containers.list(runnerId)) {
      this.#found.set(leaseKey(container.owner), container);
    }
    spool.purgeLate(clock.nowMs());
    const leaseEnd = journal.leaseEnd();
    const entries = journal.list();
    log.info('inventory', { leases: entries.length, containers: this.#found.size });
    const overdue = leaseEnd === null || leaseEnd <= clock.nowMs();
    for (const entry of entries.filter(({ finish }) => finish === null)) {
      if (overdue) this.#reap(entry, 'lease_expired');
      else if (entry.granted && !this.#found.has(leaseKey(entry))) await this.#forget(entry);
    }
  }

  /** Nothing of it lives: left out of the inventory, it counts as lost and is moved at once. */
  async #forget(entry: JournalEntry): Promise<void> {
    const { attemptId, epoch } = entry;
    this.#options.log.warn('an attempt ended with the former process', { attemptId, epoch });
    await this.#cleanUp(entry, null);
    this.#letGo({ attemptId, epoch }, 'ended with the former process', false);
  }

  /** This data folder joined anew: no lease can stand for containers of its former identity. */
  async #endForeign(runnerId: string): Promise<void> {
    for (const container of await this.#options.containers.list(runnerId)) {
      await stopForSure(this.#options, container, 0);
    }
  }

  slots(): { total: number; free: number } {
    const total = this.#options.slots;
    const closed = this.#draining || this.#diskLow;
    return { total, free: closed ? 0 : Math.max(0, total - this.held().length) };
  }

  held(): HeldItem[] {
    const items = new Map<string, HeldItem>();
    for (const entry of this.#options.journal.list())
      items.set(leaseKey(entry), this.#itemOf(entry));
    for (const [key, container] of this.#found) {
      if (!items.has(key)) items.set(key, this.#bareItem(container.owner, container.containerId));
    }
    for (const [key, { containerId, ...ref }] of this.#dying) {
      items.set(key, items.get(key) ?? this.#bareItem(ref, containerId));
    }
    return [...items.values()];
  }

  load(): Load {
    return {};
  }

  offer(offer: ControlPlaneMessageOf<'offer'>): OfferAnswer {
    const { journal, spool, engine, bootId, log } = this.#options;
    const { attemptId, epoch, spec } = offer;
    const ref = { attemptId, epoch };
    if (journal.get(ref) !== null) return { accepted: true };
    if (!SAFE_ID.test(attemptId) || spec.attemptId !== attemptId) {
      return { accepted: false, code: 'SPEC_INVALID', message: 'the attempt id is not usable' };
    }
    if (engine(spec.engine.name) === null) {
      return {
        accepted: false,
        code: 'SPEC_INVALID',
        message: `no agent engine ${spec.engine.name} here`,
      };
    }
    if (this.#draining) return { accepted: false, code: 'DRAINING' };
    if (this.#diskLow) return { accepted: false, code: 'DISK_LOW' };
    // One writer per workspace, and an older lease of the attempt may still be dying here.
    const taken = journal
      .list()
      .some((entry) => entry.attemptId === attemptId || entry.spec.issue.id === spec.issue.id);
    if (this.slots().free < 1 || taken || this.#isDying(attemptId)) {
      return { accepted: false, code: 'NO_SLOT' };
    }
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
      if (held === undefined) this.#reap(entry, 'refused');
      else held.context.control.stop({ kind: 'release', why: `its events were refused: ${why}` });
    }
  }

  keep(verdict: KeepVerdict): void {
    const ref = { attemptId: verdict.attemptId, epoch: verdict.epoch };
    const held = this.#live.get(leaseKey(ref)) ?? this.#adopt(ref, verdict.attemptToken ?? '');
    if (held === null) return;
    if (verdict.attemptToken !== undefined) held.token.value = verdict.attemptToken;
    const { control } = held.context;
    if (verdict.cancel !== undefined) control.stop({ kind: 'cancel', ...verdict.cancel });
    for (const steer of verdict.steers ?? []) control.steer(steer);
    for (const answer of verdict.answers ?? []) control.answer(answer);
  }

  fenced(ref: LeaseRef, code: FenceCode): void {
    const held = this.#live.get(leaseKey(ref));
    if (held !== undefined) return held.context.control.stop({ kind: 'fence', code });
    const entry = this.#options.journal.get(ref);
    if (entry !== null) this.#reap(entry, 'fence');
    else this.#reapFound(ref);
  }

  leaseExpired(): void {
    const { journal, log } = this.#options;
    const entries = journal.list().filter((entry) => entry.finish === null);
    if (entries.length > 0)
      log.error('the lease ended without a renewal; stopping', { attempts: entries.length });
    for (const entry of entries) {
      const held = this.#live.get(leaseKey(entry));
      if (held === undefined) this.#reap(entry, 'lease_expired');
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
        this.#reap(entry, 'unspoken');
    }
    for (const container of [...this.#found.values()]) this.#reapFound(container.owner);
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
    clock.after(deadlineMs, () => this.releaseAll('the runner was drained'));
  }

  /** Ends every attempt here and gives its lease back once its container is gone. */
  releaseAll(why: string): void {
    this.#draining = true;
    for (const held of this.#live.values()) held.context.control.stop({ kind: 'release', why });
  }

  /** True when no attempt is running or ending in this process. */
  isIdle(): boolean {
    return this.#live.size === 0 && this.#dying.size === 0;
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
        proxy.adopt({ ref, providerBaseUrl, apiKey: providerApiKey ?? null, tokenHash }),
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
    if (entry === null || entry.finish !== null || this.#dying.has(leaseKey(ref))) return null;
    const container = this.#found.get(leaseKey(ref));
    if (container === undefined || !isAdoptable(entry, spool.loadEngine(ref) !== null)) {
      log.warn('an attempt of a former process cannot be continued', {
        ...ref,
        phase: entry.phase,
      });
      this.#reap(entry, 'not_adoptable');
      return null;
    }
    log.info('adopting', ref);
    this.#found.delete(leaseKey(ref));
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
      this.#letGo(ref, whyOf(order), order?.kind !== 'fence');
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

  #letGo(ref: LeaseRef, why: string, tell: boolean): void {
    const { journal, spool, uplink, clock } = this.#options;
    spool.markLate(ref, clock.nowMs());
    journal.remove(ref);
    if (tell) uplink.released(ref, why);
  }

  /** Ends a lease that nobody in this process serves, container first. */
  #reap(
    entry: JournalEntry,
    why: 'fence' | 'lease_expired' | 'unspoken' | 'not_adoptable' | 'refused',
  ): void {
    const key = leaseKey(entry);
    if (this.#dying.has(key)) return;
    const ref = { attemptId: entry.attemptId, epoch: entry.epoch };
    const container = this.#found.get(key) ?? null;
    this.#found.delete(key);
    this.#dying.set(key, { ...ref, containerId: container?.containerId ?? null });
    this.#options.journal.update(ref, { phase: 'dying' });
    this.#cleanUp(entry, container)
      .catch((error: unknown) => {
        this.#options.log.error('could not clean up', { ...ref, error: messageOf(error) });
      })
      .finally(() => {
        this.#dying.delete(key);
        this.#letGo(ref, `ended on this host: ${why.replaceAll('_', ' ')}`, why !== 'fence');
      });
  }

  async #cleanUp(entry: JournalEntry, container: EngineContainer | null): Promise<void> {
    const context = contextOf(this.#options, entry, { token: { value: '' }, apiKey: null });
    context.recorder.close();
    context.liveness.stop();
    context.control.stop({ kind: 'lease_expired' });
    const hold = { granted: entry.granted, home: null, container, session: null, kept: null };
    await endEngine(context, hold);
    // After the container: a specification that no engine can launch must not keep it alive.
    const { sessionsFolder } = launchOf(context, '/', { baseUrl: 'http://127.0.0.1:1', token: '' });
    await closeEngineHome(homeOf(context, sessionsFolder));
  }

  /** A labelled container that the journal does not know: the journal was lost. */
  #reapFound(ref: LeaseRef): void {
    const key = leaseKey(ref);
    const container = this.#found.get(key);
    if (container === undefined) return;
    const { log } = this.#options;
    log.warn('ending a container that no lease stands for', { container: container.containerId });
    this.#found.delete(key);
    this.#dying.set(key, {
      attemptId: ref.attemptId,
      epoch: ref.epoch,
      containerId: container.containerId,
    });
    stopForSure(this.#options, container, 0)
      .catch((error: unknown) =>
        log.error('could not end a container', { error: messageOf(error) }),
      )
      .finally(() => this.#dying.delete(key));
  }

  #itemOf(entry: JournalEntry): HeldItem {
    const stream = this.#options.spool.stream(entry);
    const containerId = entry.containerId ?? this.#found.get(leaseKey(entry))?.containerId ?? null;
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

  #bareItem(ref: LeaseRef, containerId: string | null): HeldItem {
    const { attemptId, epoch } = ref;
    return { attemptId, epoch, phase: 'dying', containerId, spooledSeq: 0, ackedSeq: 0 };
  }

  #isDying(attemptId: string): boolean {
    return [...this.#dying.values(), ...[...this.#found.values()].map(({ owner }) => owner)].some(
      (ref) => ref.attemptId === attemptId,
    );
  }

  #watchDisk(): void {
    const { dataDir, clock, log } = this.#options;
    statfs(dataDir)
      .then(({ bavail, bsize }) => {
        const low = bavail * bsize < MIN_FREE_BYTES;
        if (low !== this.#diskLow)
          log.warn(low ? 'the disk is nearly full; taking no new work' : 'the disk has room again');
        this.#diskLow = low;
      })
      .catch((error: unknown) =>
        log.error('the disk cannot be looked at', { error: messageOf(error) }),
      )
      .finally(() => clock.after(DISK_CHECK_MS, () => this.#watchDisk()));
  }
}

function whyOf(order: StopOrder | null): string {
  if (order?.kind === 'release') return order.why;
  return order?.kind === 'lease_expired'
    ? 'the lease ended without a renewal'
    : (order?.kind ?? 'no stream');
}
