import type { MergeSpec } from '@switchyard/shared/protocol/attempt-spec';
import type { ControlPlaneMessageOf } from '@switchyard/shared/protocol/messages';
import { Stopped } from '../../../runner/src/attempt/attempt-control.ts';
import type { AttemptContext } from '../../../runner/src/attempt/attempt-deps.ts';
import {
  type AttemptEnd,
  AttemptFailed,
  failureOfStep,
} from '../../../runner/src/attempt/attempt-end.ts';
import {
  AttemptStarter,
  type AttemptStarterDeps,
} from '../../../runner/src/attempt/attempt-starter.ts';
import type { HeldAttempt } from '../../../runner/src/attempt/held-attempt.ts';
import type { Finish, JournalEntry } from '../../../runner/src/connection/journal/journal.ts';
import { type LeaseRef, leaseKey } from '../../../runner/src/connection/lease-ref.ts';
import { WorkspaceError } from '../../../runner/src/workspace/workspace.ts';
import type { MergeFates } from './merge-fates.ts';
import type { Random } from './random.ts';
import { nameOf, type SimBase, type Work } from './sim-base.ts';
import { LyingJournal } from './sim-checks.ts';
import { failWhileInTrouble, pause, type SimGit } from './sim-git.ts';

type Merged = NonNullable<Finish['merged']>;

/** What the tests of merges share over all hosts. */
export type MergeWorld = {
  /** Whether the repository has a merge policy. */
  isOn: boolean;
  base: SimBase;
  fates: MergeFates;
  random: Random;
};

/** How often a merge is tested on a base that moves meanwhile. */
const MAX_TESTS = 3;

/** The journal of a runner that reports what it has merged. */
export class MergeJournal extends LyingJournal {
  /** By lease, of this process. */
  readonly merged = new Map<string, Merged>();

  override update(ref: LeaseRef, patch: Parameters<LyingJournal['update']>[1]): void {
    const merged = this.merged.get(leaseKey(ref));
    const { finish } = patch;
    if (finish == null || finish.outcome !== 'completed' || merged === undefined)
      return super.update(ref, patch);
    super.update(ref, { ...patch, finish: { ...finish, merged } });
  }
}

/** Starts attempts as a runner does, and tests merges against the simulated remote. */
export class MergeStarter extends AttemptStarter {
  readonly #deps: AttemptStarterDeps & { journal: MergeJournal };
  readonly #git: SimGit;
  readonly #world: MergeWorld;

  constructor(
    deps: AttemptStarterDeps & { journal: MergeJournal },
    git: SimGit,
    world: MergeWorld,
  ) {
    super(deps);
    this.#deps = deps;
    this.#git = git;
    this.#world = world;
  }

  override start(grant: ControlPlaneMessageOf<'granted'>): HeldAttempt | null {
    const { journal, lease, contextOf } = this.#deps;
    const { attemptId, epoch, attemptToken } = grant;
    const ref = { attemptId, epoch };
    const merge = journal.get(ref)?.spec.merge;
    if (merge === undefined || !lease.isLive()) return super.start(grant);
    journal.update(ref, { granted: true, phase: 'starting' });
    const token = { value: attemptToken };
    const context = contextOf(journal.get(ref) as JournalEntry, token);
    return { context, token, done: this.#run(context, merge) };
  }

  async #run(context: AttemptContext, merge: MergeSpec): Promise<AttemptEnd | null> {
    const { control, liveness, ref } = context;
    let end: AttemptEnd | null;
    try {
      await this.#mergeAndTest(context, merge);
      end = COMPLETED;
    } catch (error) {
      const isMerged = this.#deps.journal.merged.has(leaseKey(ref));
      end = isMerged ? COMPLETED : endOf(context, error);
    }
    liveness.stop();
    const { order } = control;
    return order?.kind === 'fence' && !order.mayReport ? null : end;
  }

  async #mergeAndTest(context: AttemptContext, merge: MergeSpec): Promise<void> {
    for (let test = 1; test <= MAX_TESTS; test += 1) {
      if (await this.#mergeOnce(context, merge)) return;
      await context.recorder.log('git', `${merge.baseBranch} moved while the merge was tested`);
      context.control.check();
    }
    const message = `${merge.baseBranch} moved during each of ${MAX_TESTS} tests of the merge`;
    throw new AttemptFailed('delivery_refused', message, { reasonCode: 'merge_base_moved' });
  }

  /** False when the base moved meanwhile. */
  async #mergeOnce(context: AttemptContext, merge: MergeSpec): Promise<boolean> {
    const { control, recorder, ref, spec } = context;
    const { base, fates, random } = this.#world;
    const { branch, expectedCommit: commitSha } = merge;
    await recorder.phase('workspace');
    await this.#takesTime(context, 20, 2_000);
    failWhileInTrouble(this.#git);
    const work = { branch, commitSha };
    if (this.#isIn(ref, work)) return true;
    const from = base.head;
    const before = base.brought();
    const head = this.#git.remote.heads.get(`${spec.repository.url} ${branch}`);
    if (head !== commitSha) throw refused('merge_branch_moved', `${branch} is at ${head ?? '-'}`);
    if (fates.conflicts(nameOf(work), before))
      throw refused('merge_conflict', `${branch} conflicts`);
    const sha = `${base.nextSha().slice(0, 32)}${random.int(0, 0xff_ff_ff_ff).toString(16).padStart(8, '0')}`;
    for (const { name } of spec.checks ?? []) {
      const checked = { name, commitSha: sha };
      if (!(await this.#check(context, checked, () => fates.fails(nameOf(work), before))))
        throw refused('checks_failed', `the check ${name} failed on the merge`);
    }
    await recorder.phase('delivering');
    recorder.progress({}, { phase: 'finishing' });
    await this.#askPermit(context, merge, sha);
    await pause(this.#git, 20, 1_500);
    // An order to stop comes too late from here on: only a lost lease prevents the push.
    if (control.lostSignal.aborted) throw new Stopped();
    failWhileInTrouble(this.#git);
    const by = { kind: 'test', ...ref } as const;
    const isMoved = base.move(from, { sha, brought: work, by });
    // The remote may have taken a push whose answer is lost.
    if (random.chance(0.1)) await pause(this.#git, 1_000, 20_000);
    if (isMoved && random.chance(0.1)) await pause(this.#git, 1_000, 20_000);
    return this.#isIn(ref, work);
  }

  /** Whether the base contains a commit, which is reported from here on. */
  #isIn(ref: LeaseRef, work: Work): boolean {
    const found = this.#world.base.find(work);
    if (found === null) return false;
    this.#deps.journal.merged.set(leaseKey(ref), found);
    return true;
  }

  /** Runs a check, and once more when it fails. */
  async #check(
    context: AttemptContext,
    checked: { name: string; commitSha: string },
    fails: () => boolean,
  ): Promise<boolean> {
    const { recorder } = context;
    for (let run = 1; run <= 2; run += 1) {
      await recorder.event('check', { state: 'started', ...checked, run });
      await this.#takesTime(context, 100, this.#world.random.chance(0.1) ? 20_000 : 3_000);
      const result = fails() ? ('failed' as const) : ('passed' as const);
      const exitCode = result === 'failed' ? 1 : 0;
      const end = { result, exitCode, durationMs: 10, output: 'as it went' };
      await recorder.event('check', { state: 'ended', ...checked, run, ...end });
      if (result === 'passed') return true;
    }
    return false;
  }

  async #askPermit(
    { deps, ref, spec, control }: AttemptContext,
    { baseBranch: branch }: MergeSpec,
    commitSha: string,
  ): Promise<void> {
    const asked = { branch, commitSha, repositoryUrl: spec.repository.url };
    const permit = await deps.uplink.permitPush(ref, asked, control.signal);
    control.check();
    if (!permit.allowed) throw refused('merge_removed', permit.reason ?? 'not permitted');
  }

  async #takesTime({ control }: AttemptContext, lowMs: number, highMs: number): Promise<void> {
    await control.race(pause(this.#git, lowMs, highMs));
    control.check();
  }
}

const COMPLETED: AttemptEnd = { outcome: 'completed', marker: 'DONE', summary: null };

function refused(
  reasonCode: 'merge_branch_moved' | 'merge_conflict' | 'checks_failed' | 'merge_removed',
  message: string,
): AttemptFailed {
  return new AttemptFailed('delivery_refused', message, { reasonCode });
}

function endOf({ control }: AttemptContext, error: unknown): AttemptEnd | null {
  const { order } = control;
  if (order?.kind === 'cancel')
    return { outcome: 'cancelled', message: order.reason, marker: null, summary: null };
  if (order !== null && order.kind !== 'limit') return null;
  const failure = order === null ? failureOf(error) : order.failure;
  const { outcome, failureKind, reasonCode, message, upstream } = failure;
  return {
    outcome,
    failureKind,
    message,
    marker: null,
    summary: null,
    ...(reasonCode === undefined ? {} : { reasonCode }),
    ...(upstream === undefined ? {} : { upstream }),
  };
}

/** As a runner judges a push: what only a person can mend is refused. */
function failureOf(error: unknown): AttemptFailed {
  const isFinal = error instanceof WorkspaceError && error.code === 'push_refused';
  return isFinal
    ? new AttemptFailed('delivery_refused', error.message)
    : failureOfStep(error, 'workspace_error');
}
