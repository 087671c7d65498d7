import { AppError } from '../../../control-plane/src/errors.ts';
import { patchOverlay } from '../../../control-plane/src/config/overlay/patch-overlay.ts';
import { mergePullRequest } from '../../../control-plane/src/integrations/local/code-host/merge-pull-request.ts';
import { closePullRequest } from '../../../control-plane/src/integrations/local/code-host/record-end.ts';
import { updateLocalIssue } from '../../../control-plane/src/integrations/local/tracker/update-local-issue.ts';
import { abortIssue } from '../../../control-plane/src/issues/actions/abort-issue.ts';
import type { MergeInRepository } from '../../../control-plane/src/ports/code-host/merge-in-repository.ts';
import { finishMergedIssue } from '../../../control-plane/src/pull-requests/delivery/finish-merged-issue.ts';
import { enterQueue } from '../../../control-plane/src/pull-requests/merge-queue/enter-queue.ts';
import { leaveQueue } from '../../../control-plane/src/pull-requests/merge-queue/leave-queue.ts';
import { nameOf } from './sim-base.ts';
import { Random } from './random.ts';
import { rowText } from './row-text.ts';
import { mergeRoutes, PERSON, REPOSITORY } from './simulated-config.ts';
import type { SimPlane } from './sim-plane.ts';
import type { World } from './world.ts';

export type MergeClick =
  | 'enter'
  | 'leave'
  | 'close'
  | 'merge'
  | 'abort'
  | 'block'
  | 'policy'
  | 'foreign';

const WEIGHTS: Record<MergeClick, number> = {
  enter: 8,
  leave: 2,
  close: 1,
  merge: 1,
  abort: 1,
  block: 1,
  policy: 0.3,
  foreign: 2,
};

type About = { identifier: string | null; touches: boolean };
type Act = (plane: SimPlane, what: string, work: () => Promise<unknown>, about?: About) => void;
type Open = { id: string; branch: string; identifier: string; state: string | null };

/** People who merge pull requests, or have them merged. Their chances are drawn apart from others'. */
export class MergePeople {
  readonly random: Random;
  readonly #world: World;
  readonly #issues: readonly string[];
  readonly #act: Act;
  readonly #weights: Record<MergeClick, number>;
  /** Issues that people let wait for others. */
  readonly #blocked = new Set<string>();

  constructor(world: World, issues: readonly string[], act: Act) {
    this.#world = world;
    this.#issues = issues;
    this.#act = act;
    this.random = new Random(world.options.seed * 104_395_301);
    this.#weights = { ...WEIGHTS, ...world.options.scenario.mergeClicks };
  }

  /** Does one thing with a pull request or its base branch. */
  click(): void {
    const plane = this.#world.leader();
    if (plane === null) return;
    const click = this.random.weighted(this.#weights);
    if (click === 'foreign') return this.#pushToBase();
    if (click === 'policy') return this.#setPolicy(plane);
    this.#clickOpen(plane, click).catch((error: unknown) =>
      this.#world.trace.add('person', String(error)),
    );
  }

  async #clickOpen(
    plane: SimPlane,
    click: Exclude<MergeClick, 'foreign' | 'policy'>,
  ): Promise<void> {
    const all = await openPullRequests(plane);
    const queued = all.filter(({ state }) => state === 'waiting' || state === 'testing');
    const from = click === 'enter' || click === 'merge' || queued.length === 0 ? all : queued;
    if (from.length === 0) return;
    const one = this.random.pick(from);
    switch (click) {
      case 'enter':
        return this.#enter(plane, one);
      case 'leave':
        return this.#leave(plane, one);
      case 'close':
        return this.#close(plane, one);
      case 'merge':
        return this.#merge(plane, one);
      case 'abort':
        return this.#abort(plane, one);
      case 'block':
        return this.#block(plane, one);
    }
  }

  #enter(plane: SimPlane, { id, branch, identifier }: Open): void {
    const { merges } = this.#world.checker;
    this.#act(plane, `queue ${identifier}`, () => {
      merges.wanted(branch);
      return enterQueue(plane.deps, { pullRequestId: id, caller: PERSON });
    });
  }

  #leave(plane: SimPlane, { id, branch, identifier }: Open): void {
    const { merges } = this.#world.checker;
    this.#act(plane, `take ${identifier} out of the queue`, async () => {
      const wish = merges.wishOf(branch);
      await leaveQueue(plane.deps, { pullRequestId: id, caller: PERSON });
      merges.unwanted(branch, { wish, commitSha: this.#head(branch), why: 'it was taken out' });
    });
  }

  #close(plane: SimPlane, { id, branch, identifier }: Open): void {
    const { merges } = this.#world.checker;
    this.#act(plane, `close the pull request of ${identifier}`, async () => {
      const wish = merges.wishOf(branch);
      await closePullRequest(hostOf(plane), PERSON, id);
      merges.unwanted(branch, { wish, commitSha: this.#head(branch), why: 'it was closed' });
    });
  }

  #abort(plane: SimPlane, { branch, identifier, state }: Open): void {
    const { merges, ledger } = this.#world.checker;
    const work = async () => {
      const wish = merges.wishOf(branch);
      const { alreadyStopping } = await abortIssue(plane.deps, { identifier, caller: PERSON });
      if (!alreadyStopping) ledger.aborted(identifier);
      const commitSha = this.#head(branch);
      if (state === 'testing') merges.unwanted(branch, { wish, commitSha, why: 'it was aborted' });
    };
    this.#act(plane, `abort ${identifier}`, work, { identifier, touches: false });
  }

  #merge(plane: SimPlane, { id, branch, identifier }: Open): void {
    const { merges } = this.#world.checker;
    this.#act(plane, `merge ${identifier} now`, async () => {
      const merge = this.#mergeInRepository(plane);
      const merged = await mergePullRequest(hostOf(plane), merge, PERSON, id);
      merges.mergedByPerson(branch);
      await finishMergedIssue(plane.deps, merged);
    });
  }

  /** What a runner does for a person, without a test. */
  #mergeInRepository({ clock }: SimPlane): MergeInRepository {
    const { base, fates } = this.#world.mergeWorld;
    return async ({ branch, expectedCommit: commitSha }) => {
      await new Promise<void>((resolve) => clock.after(this.random.int(50, 3_000), resolve));
      const work = { branch, commitSha };
      const found = base.find(work);
      if (found !== null) return { mergeCommit: base.head };
      if (fates.conflicts(nameOf(work), base.brought()))
        throw new AppError('conflict', 'conflicts');
      const commit = { sha: base.nextSha(), brought: work };
      base.move(base.head, { ...commit, by: { kind: 'person' } });
      return { mergeCommit: commit.sha };
    };
  }

  /** Where a branch stands in the repository; null: nowhere. */
  #head(branch: string): string | null {
    return this.#world.remote.heads.get(`${REPOSITORY} ${branch}`) ?? null;
  }

  #pushToBase(): void {
    const { base } = this.#world.mergeWorld;
    this.#world.trace.add('person', 'pushes to the base');
    base.move(base.head, { sha: base.nextSha(), brought: null, by: { kind: 'foreign' } });
  }

  /** Lets an issue wait for another one, whatever has become of both. */
  #block(plane: SimPlane, { identifier }: Open): void {
    const others = this.#issues.filter((one) => one !== identifier);
    if (others.length === 0) return;
    const blocker = this.random.pick(others);
    this.#blocked.add(identifier);
    const settings = { ...plane.deps, settings: plane.localTracker };
    const work = async () => {
      this.#world.checker.trees.moved(identifier);
      const changes = { blockedBy: [blocker] };
      await updateLocalIssue(settings, PERSON, { identifier, changes });
      this.#world.checker.trees.moved(identifier);
      plane.deps.wake();
    };
    const what = `let ${identifier} wait for ${blocker}`;
    this.#act(plane, what, work, { identifier, touches: true });
  }

  /** Lets nothing wait any more that people let wait and on which an agent would work. */
  async unblock(plane: SimPlane): Promise<void> {
    const { rows } = await plane.look.execute(
      `select i.identifier from issues i join local_issues l on i.tracker = 'local' and l.id = i.id
       where l.blocked_by <> '[]' and i.merging is null and i.status in ('idle', 'queued', 'retrying')`,
    );
    const settings = { ...plane.deps, settings: plane.localTracker };
    for (const row of rows) {
      const identifier = rowText(row['identifier']);
      if (!this.#blocked.has(identifier)) continue;
      const work = async () => {
        await updateLocalIssue(settings, PERSON, { identifier, changes: { blockedBy: [] } });
        plane.deps.wake();
      };
      this.#act(plane, `let ${identifier} wait no longer`, work, { identifier, touches: true });
    }
  }

  #setPolicy(plane: SimPlane): void {
    const mode = this.random.pick(['when-green', 'ask', 'never'] as const);
    const { merges } = this.#world.checker;
    this.#act(plane, `set the merge policy ${mode}`, async () => {
      merges.policyChanges();
      const value = mergeRoutes(mode);
      await patchOverlay(plane.deps, { caller: PERSON, path: 'repos', value });
      merges.policyChanges(mode);
    });
  }
}

async function openPullRequests({ look }: Pick<SimPlane, 'look'>): Promise<Open[]> {
  const { rows } = await look.execute(
    `select p.id, p.branch, p.issue_identifier, q.state from pull_requests p
     left join merge_queue q on q.pull_request_id = p.id where p.status = 'open' order by p.number`,
  );
  return rows.map((row) => ({
    id: rowText(row['id']),
    branch: rowText(row['branch']),
    identifier: rowText(row['issue_identifier']),
    state: row['state'] === null ? null : rowText(row['state']),
  }));
}

function hostOf({ deps }: SimPlane) {
  return { ...deps, publicOrigin: () => deps.service.publicOrigin };
}
