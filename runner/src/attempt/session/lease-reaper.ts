import type { HeldItem } from '@switchyard/shared/protocol/messages';
import { messageOf } from '@switchyard/shared/message-of';
import type { GivenBack } from '../../connection/attempt-port.ts';
import type { JournalEntry } from '../../connection/journal/journal.ts';
import { type LeaseRef, leaseKey } from '../../connection/lease-ref.ts';
import type { ContainerEngine, EngineContainer } from '../../container/container-engine.ts';
import type { AttemptDeps } from '../attempt-deps.ts';
import { endEngine, stopForSure } from './end-engine.ts';
import { closeEngineHome } from '../mounts/engine-home.ts';
import { type AttemptEnd, stillToPush } from '../attempt-end.ts';
import { contextOf, finishOf } from '../held-attempt.ts';
import { homeOf, launchOfRunning } from './start-engine.ts';

export type ReapReason = 'fence' | 'lease_expired' | 'unspoken' | 'not_adoptable' | 'refused';

/** Reasons for people, in parentheses after "runner lost". */
const MESSAGES: Readonly<Record<Exclude<ReapReason, 'fence'>, string>> = {
  lease_expired: 'its lease ended before its runner could renew it',
  unspoken: 'the control plane no longer knew its lease',
  not_adoptable: 'its runner was restarted and could not take over its agent',
  refused: 'the control plane refused its events',
};

/**
 * Ends containers and leases that a former process left and that no attempt of this process serves.
 * A lease leaves the inventory only once its container is confirmed removed.
 */
export class LeaseReaper {
  readonly #deps: AttemptDeps;
  /** Labelled containers that no attempt has taken over yet. */
  readonly #found = new Map<string, EngineContainer>();
  readonly #dying = new Map<string, LeaseRef & { containerId: string | null }>();

  constructor(deps: AttemptDeps) {
    this.#deps = deps;
  }

  /** Called before the first hello: finds containers, and ends only overdue or foreign ones. */
  async boot(formerRunnerIds: readonly string[]): Promise<void> {
    const { containers, runnerId, journal, clock, spool, log } = this.#deps;
    for (const former of formerRunnerIds) await this.#endForeign(containers, former);
    for (const container of await containers.list(runnerId)) {
      this.#found.set(leaseKey(container.owner), container);
    }
    spool.purgeLate(clock.nowMs());
    const leaseEnd = journal.leaseEnd();
    const entries = journal.list();
    log.info('inventory', { leases: entries.length, containers: this.#found.size });
    const overdue = leaseEnd === null || leaseEnd <= clock.nowMs();
    for (const entry of entries.filter(({ finish }) => finish === null)) {
      if (overdue) this.reap(entry, 'lease_expired');
      else if (entry.granted && !this.#found.has(leaseKey(entry))) await this.#forget(entry);
    }
  }

  /**
   * Ends containers of a former process in an isolation that becomes available late, before this
   * process uses it, except those in the journal.
   */
  async endFormer(came: ContainerEngine, formerRunnerIds: readonly string[]): Promise<void> {
    const { runnerId, journal } = this.#deps;
    // Listed first: ending takes a while, during which this process may start containers there.
    const found = await came.list(runnerId);
    for (const former of formerRunnerIds) await this.#endForeign(came, former);
    for (const container of found) {
      const { owner } = container;
      const key = leaseKey(owner);
      if (journal.get(owner) !== null || this.#found.has(key) || this.#dying.has(key)) continue;
      this.#found.set(key, container);
      this.reapFound(owner);
    }
  }

  /** The container that a former process left for a lease; null when there is none. */
  peek(ref: LeaseRef): EngineContainer | null {
    return this.#found.get(leaseKey(ref)) ?? null;
  }

  /**
   * Returns the container that a former process left for a lease, and makes the caller responsible
   * for it; null when there is none.
   */
  take(ref: LeaseRef): EngineContainer | null {
    const container = this.peek(ref);
    this.#found.delete(leaseKey(ref));
    return container;
  }

  isDying(ref: LeaseRef): boolean {
    return this.#dying.has(leaseKey(ref));
  }

  /** Whether any lease of this attempt, of whatever epoch, may still have a container here. */
  mayHaveContainer(attemptId: string): boolean {
    const owners = [...this.#found.values()].map(({ owner }) => owner);
    return [...this.#dying.values(), ...owners].some((ref) => ref.attemptId === attemptId);
  }

  get isIdle(): boolean {
    return this.#dying.size === 0;
  }

  /** Containers that the journal does not contain; they belong to the inventory as well. */
  items(): HeldItem[] {
    const found = [...this.#found.values()].map(({ owner, containerId }) =>
      bare(owner, containerId),
    );
    const dying = [...this.#dying.values()].map((ref) => bare(ref, ref.containerId));
    return [...found, ...dying];
  }

  /** Ends a lease that nothing in this process serves, container first. */
  reap(entry: JournalEntry, why: ReapReason): void {
    if (this.isDying(entry)) return;
    const { journal, log } = this.#deps;
    const ref = { attemptId: entry.attemptId, epoch: entry.epoch };
    const container = this.take(ref);
    this.#dying.set(leaseKey(ref), { ...ref, containerId: container?.containerId ?? null });
    journal.update(ref, { phase: 'dying' });
    this.#cleanUp(entry, container)
      .catch((error: unknown) =>
        log.error('could not clean up', { ...ref, error: messageOf(error) }),
      )
      .finally(() => {
        this.#dying.delete(leaseKey(ref));
        if (why !== 'fence' && why !== 'refused' && this.#reportKept(ref))
          return this.#deps.uplink.ended();
        this.letGo(ref, why === 'fence' ? null : { why: MESSAGES[why], orderly: false });
      });
  }

  /** Ends a labelled container without a journal entry, as when the journal was lost. */
  reapFound(ref: LeaseRef): void {
    const container = this.take(ref);
    if (container === null) return;
    const { log } = this.#deps;
    const { attemptId, epoch } = ref;
    const { containerId } = container;
    log.warn('ending a container that no lease stands for', { container: containerId });
    this.#dying.set(leaseKey(ref), { attemptId, epoch, containerId });
    stopForSure(this.#deps, container, 0)
      .catch((error: unknown) =>
        log.error('could not end a container', { error: messageOf(error) }),
      )
      .finally(() => this.#dying.delete(leaseKey(ref)));
  }

  reapAllFound(): void {
    for (const { owner } of this.#found.values()) this.reapFound(owner);
  }

  /**
   * Removes a lease from the inventory; its unsent events are kept for a day. Null: nothing is
   * reported.
   */
  letGo(ref: LeaseRef, given: GivenBack | null): void {
    const { journal, spool, uplink, clock } = this.#deps;
    spool.purgeLate(clock.nowMs());
    spool.markLate(ref, clock.nowMs());
    journal.remove(ref);
    if (given !== null) uplink.released(ref, given);
  }

  /**
   * Reports kept work; without any, removes the entry, so that the missing lease counts as lost and
   * the issue moves to another runner at once.
   */
  async #forget(entry: JournalEntry): Promise<void> {
    const { attemptId, epoch } = entry;
    this.#deps.log.warn('an attempt ended with the former process', { attemptId, epoch });
    await this.#cleanUp(entry, null);
    if (!this.#reportKept({ attemptId, epoch })) this.letGo({ attemptId, epoch }, null);
  }

  /** Reports the finished work of an agent, which is delivered without running the agent again. */
  #reportKept(ref: LeaseRef): boolean {
    const { journal, spool, log } = this.#deps;
    const entry = journal.get(ref);
    const stream = spool.stream(ref);
    if (entry?.progress.delivery === undefined || stream === null) return false;
    log.info('the work of an attempt that had ended is still to be delivered', ref);
    spool.seal(ref);
    const { delivery, summary = null } = entry.progress;
    const said = { ...stillToPush(delivery, 'the runner was restarted'), marker: 'DONE' } as const;
    const end: AttemptEnd = { outcome: 'completed', summary, ...said };
    const finish = finishOf(ref, stream, end);
    journal.update(ref, { phase: 'finishing', containerId: null, finish });
    return true;
  }

  /**
   * Ends containers of a former identity of this data folder, which cannot have leases any more.
   */
  async #endForeign(containers: Pick<ContainerEngine, 'list'>, runnerId: string): Promise<void> {
    for (const container of await containers.list(runnerId)) {
      await stopForSure(this.#deps, container, 0);
    }
  }

  async #cleanUp(entry: JournalEntry, container: EngineContainer | null): Promise<void> {
    const context = contextOf(this.#deps, entry, { token: { value: '' }, apiKey: null });
    context.recorder.close();
    context.liveness.stop();
    context.control.stop({ kind: 'lease_expired' });
    const hold = {
      granted: entry.granted,
      wayOut: null,
      home: null,
      container,
      session: null,
      kept: null,
      watches: [],
      secretFiles: [],
    };
    await endEngine(context, hold);
    // After the container is ended: an invalid specification must not prevent that.
    const launch = launchOfRunning(context, '/');
    await closeEngineHome(this.#deps.disk, homeOf(context, launch));
  }
}

function bare({ attemptId, epoch }: LeaseRef, containerId: string | null): HeldItem {
  return { attemptId, epoch, phase: 'dying', containerId, spooledSeq: 0, ackedSeq: 0 };
}
