import type { HeldItem } from '@switchyard/shared/protocol/messages';
import { messageOf } from '@switchyard/shared/message-of';
import type { Clock } from '../../connection/clock.ts';
import type { Journal, JournalEntry } from '../../connection/journal/journal.ts';
import type { Spool } from '../../connection/journal/spool.ts';
import { type LeaseRef, leaseKey } from '../../connection/lease-ref.ts';
import type { ContainerEngine, EngineContainer } from '../../container/container-engine.ts';
import type { Log } from '../../log.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import { forgetMerge, usedWorkspaceKey } from '../../workspace/branches/keep-merge.ts';
import { mirrorPathOf } from '../../workspace/mirror/mirror.ts';
import { repositorySource } from '../../workspace/repository-source.ts';
import { stopForSure } from './end-engine.ts';
import { closeEngineHome } from '../mounts/engine-home.ts';
import { type AttemptEnd, stillToPush } from '../attempt-end.ts';
import { type ContextOf, finishOf } from '../held-attempt.ts';
import { letGo } from './let-go.ts';
import { stateFolderOf } from './remove-engine-state.ts';
import { homeOfRunning } from './start-engine.ts';

export type ReapReason = 'fence' | 'lease_expired' | 'unspoken' | 'not_adoptable' | 'refused';

/** Reasons for people, in parentheses after "runner lost". */
const MESSAGES: Readonly<Record<Exclude<ReapReason, 'fence'>, string>> = {
  lease_expired: 'its lease ended before its runner could renew it',
  unspoken: 'the control plane no longer knew its lease',
  not_adoptable: 'its runner was restarted and could not take over its agent',
  refused: 'the control plane refused its events',
};

export type LeaseReaperDeps = {
  contextOf: ContextOf;
  containers: Pick<ContainerEngine, 'list'>;
  journal: Journal;
  spool: Spool;
  clock: Clock;
  log: Log;
};

/**
 * Ends containers and leases that a former process left and that no attempt of this process serves.
 * A lease leaves the inventory only once its container is confirmed removed.
 */
export class LeaseReaper {
  readonly #deps: LeaseReaperDeps;
  readonly #runnerId: string;
  readonly #formerRunnerIds: readonly string[];
  /** Labelled containers that no attempt has taken over yet. */
  readonly #found = new Map<string, EngineContainer>();
  readonly #dying = new Map<string, LeaseRef & { containerId: string | null }>();

  /** `formerRunnerIds`: former ids of this data folder. */
  constructor(
    deps: LeaseReaperDeps,
    { runnerId, formerRunnerIds }: { runnerId: string; formerRunnerIds: readonly string[] },
  ) {
    this.#deps = deps;
    this.#runnerId = runnerId;
    this.#formerRunnerIds = formerRunnerIds;
  }

  /** Called before the first hello: finds containers, and ends only overdue or foreign ones. */
  async boot(): Promise<void> {
    const { containers, journal, clock, spool, log } = this.#deps;
    await this.#endForeign(containers);
    for (const container of await containers.list(this.#runnerId)) {
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
  async endFormer(came: ContainerEngine): Promise<void> {
    const { journal } = this.#deps;
    // Listed first: ending takes a while, during which this process may start containers there.
    const found = await came.list(this.#runnerId);
    await this.#endForeign(came);
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
    this.#end(entry, container, why).catch((error: unknown) => {
      this.#dying.delete(leaseKey(ref));
      log.error('could not clean up', { ...ref, error: messageOf(error) });
    });
  }

  async #end(
    entry: JournalEntry,
    container: EngineContainer | null,
    why: ReapReason,
  ): Promise<void> {
    const context = this.#deps.contextOf(entry, { value: '' });
    const { ref } = context;
    await cleanUp(context, entry, container).catch((error: unknown) =>
      this.#deps.log.error('could not clean up', { ...ref, error: messageOf(error) }),
    );
    this.#dying.delete(leaseKey(ref));
    if (why !== 'fence' && why !== 'refused' && reportKept(context))
      return context.deps.uplink.ended();
    letGo(context, why === 'fence' ? null : { why: MESSAGES[why], orderly: false });
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
   * Reports kept work; without any, removes the entry, so that the missing lease counts as lost and
   * the issue moves to another runner at once.
   */
  async #forget(entry: JournalEntry): Promise<void> {
    const context = this.#deps.contextOf(entry, { value: '' });
    this.#deps.log.warn('an attempt ended with the former process', context.ref);
    await cleanUp(context, entry, null);
    if (!reportKept(context)) letGo(context, null);
  }

  /**
   * Ends containers of a former identity of this data folder, which cannot have leases any more.
   */
  async #endForeign(containers: Pick<ContainerEngine, 'list'>): Promise<void> {
    for (const former of this.#formerRunnerIds) {
      for (const container of await containers.list(former)) {
        await stopForSure(this.#deps, container, 0);
      }
    }
  }
}

/**
 * Reports the finished work of an agent, which is delivered without running the agent again, or a
 * merge that was pushed.
 */
function reportKept({ ref, deps }: AttemptContext): boolean {
  const { journal, spool, log } = deps;
  const entry = journal.get(ref);
  const stream = spool.stream(ref);
  if (entry === null || stream === null) return false;
  const { delivery, merged, summary = null } = entry.progress;
  if (delivery === undefined && merged === undefined) return false;
  log.info('an attempt that had ended is still to be reported', ref);
  spool.seal(ref);
  const end: AttemptEnd = {
    outcome: 'completed',
    summary,
    marker: 'DONE',
    ...(delivery === undefined ? {} : stillToPush(delivery, 'the runner was restarted')),
    ...(merged === undefined ? {} : { merged }),
  };
  const finish = finishOf(ref, stream, end);
  journal.update(ref, { phase: 'finishing', containerId: null, finish });
  return true;
}

async function cleanUp(
  context: AttemptContext,
  { granted }: JournalEntry,
  container: EngineContainer | null,
): Promise<void> {
  context.recorder.close();
  context.liveness.stop();
  context.control.stop({ kind: 'lease_expired' });
  const { deps, ref, spec } = context;
  if (container !== null) {
    await stopForSure(deps, container, 0);
    context.recorder.progress({}, { containerId: null });
  }
  // Each by itself: an invalid specification, which has no home, must not prevent the others.
  const ends = await Promise.allSettled([
    granted && deps.disk.deleteTree(stateFolderOf(deps, ref)),
    granted && deps.proxy.revoke(ref),
    // The test of a merge has a workspace instead of an engine's home.
    spec.merge === undefined ? closeHome(context) : granted && forgetTest(context),
  ]);
  for (const end of ends) {
    if (end.status === 'rejected')
      deps.log.error('could not clean up', { ...ref, error: messageOf(end.reason) });
  }
}

async function closeHome(context: AttemptContext): Promise<void> {
  await closeEngineHome(context.deps.disk, homeOfRunning(context));
}

async function forgetTest({ deps: { workspaces }, spec }: AttemptContext): Promise<void> {
  const mirrorPath = mirrorPathOf(workspaces, repositorySource(spec.repository));
  await forgetMerge(workspaces, { mirrorPath, key: usedWorkspaceKey(spec) });
}

function bare({ attemptId, epoch }: LeaseRef, containerId: string | null): HeldItem {
  return { attemptId, epoch, phase: 'dying', containerId, spooledSeq: 0, ackedSeq: 0 };
}
