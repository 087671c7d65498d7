import { APPROVE, PLAN_DECISION } from '@switchyard/shared/plan/is-approval';
import { messageOf } from '@switchyard/shared/message-of';
import { rowText } from './row-text.ts';
import { abortIssue } from '../../../control-plane/src/issues/actions/abort-issue.ts';
import { handleComment } from '../../../control-plane/src/issues/actions/handle-comment.ts';
import { retryIssue } from '../../../control-plane/src/issues/actions/retry-issue.ts';
import {
  pauseService,
  resumeService,
} from '../../../control-plane/src/issues/pause/pause-service.ts';
import { answerRequest } from '../../../control-plane/src/issues/requests/answer-request.ts';
import { drainRunner } from '../../../control-plane/src/runners/admin/drain-runner.ts';
import { addLocalComment } from '../../../control-plane/src/integrations/local/tracker/comments/add-local-comment.ts';
import { createLocalIssue } from '../../../control-plane/src/integrations/local/tracker/create-local-issue.ts';
import { updateLocalIssue } from '../../../control-plane/src/integrations/local/tracker/update-local-issue.ts';
import { MergePeople } from './merge-people.ts';
import type { ReadPlan } from './plan-watch.ts';
import type { SimPlane } from './sim-plane.ts';
import { TreePeople } from './tree-people.ts';
import { PERSON } from './simulated-config.ts';
import type { World } from './world.ts';

export type Click =
  | 'edit'
  | 'comment'
  | 'move'
  | 'abort'
  | 'retry'
  | 'pause'
  | 'answer'
  | 'create'
  | 'drain';

const STATES = ['Backlog', 'Todo', 'In Progress', 'In Review', 'Done', 'Canceled'] as const;

/** The people of a simulated installation: they click at any moment, through the real use cases. */
export class People {
  readonly #world: World;
  readonly issues: string[] = [];
  /** Those who split issues; null in a world where nobody does. */
  readonly trees: TreePeople | null;
  /** Those who merge; null in a world without a merge policy. */
  readonly merges: MergePeople | null;
  readonly #weights: Record<Click, number>;
  #created = 0;
  paused = false;
  /** How often somebody wished it to go on. */
  #resumes = 0;
  /** What they have begun and not heard of yet, by instance. */
  readonly #open = new Map<SimPlane, Set<string>>();

  constructor(world: World) {
    this.#world = world;
    const { random } = world;
    this.trees = world.hasTrees
      ? new TreePeople(world, this.issues, (...act) => this.#do(...act))
      : null;
    this.merges =
      world.mergePolicy === null
        ? null
        : new MergePeople(world, this.issues, (...act) => this.#do(...act));
    const some = () => (random.chance(0.6) ? random.int(1, 4) : 0);
    this.#weights = {
      edit: some(),
      comment: some(),
      move: some(),
      abort: some() + 1,
      retry: some() + 1,
      pause: some() / 3,
      answer: 3,
      create: 1,
      drain: some() / 4,
      ...world.options.scenario.clicks,
    };
  }

  /** Does one thing; what it meant for the rules is told to the ledger. */
  click(): void {
    const { random } = this.#world;
    const plane = this.#world.leader();
    if (plane === null) return;
    const click = random.weighted(this.#weights);
    const identifier = this.issues.length === 0 ? null : random.pick(this.issues);
    if (click === 'create' || identifier === null) return this.create(plane);
    if (click === 'pause') return this.#pause(plane);
    if (click === 'answer') return this.#answer(plane);
    if (click === 'drain') return this.#drain(plane);
    this.#touch(plane, click, identifier);
  }

  #touch(
    plane: SimPlane,
    click: 'edit' | 'comment' | 'move' | 'abort' | 'retry',
    identifier: string,
  ): void {
    const { random, checker } = this.#world;
    const { deps } = plane;
    const tracker = { ...deps, settings: plane.localTracker };
    if (click === 'retry' || click === 'comment') checker.ledger.reopened(identifier);
    const title = `Title ${random.int(1, 1_000_000)}`;
    const state = random.pick(STATES);
    const work = {
      edit: () => updateLocalIssue(tracker, PERSON, { identifier, changes: { title } }),
      move: () => updateLocalIssue(tracker, PERSON, { identifier, changes: { state } }),
      comment: async () => {
        const { issue, comment } = await addLocalComment(tracker, PERSON, {
          identifier,
          body: title,
        });
        const said = { commentId: comment.id, author: comment.author, body: comment.body };
        await handleComment(deps, { tracker: 'local', issueId: issue.id, ...said });
      },
      abort: async () => {
        const answer = await abortIssue(deps, { identifier, caller: PERSON });
        if (!answer.alreadyStopping) checker.ledger.aborted(identifier);
      },
      retry: () => retryIssue(deps, { identifier, caller: PERSON }),
    }[click];
    const what = `${click} ${identifier}${click === 'move' ? ` to ${state}` : ''}`;
    this.#do(plane, what, work, { identifier, touches: click !== 'abort' });
  }

  create(plane: SimPlane): void {
    const { random } = this.#world;
    if (this.#created >= 8) return;
    this.#created += 1;
    const priority = random.int(0, 4);
    this.#do(plane, 'create an issue', async () => {
      const tracker = { ...plane.deps, settings: plane.localTracker };
      const issue = await createLocalIssue(tracker, PERSON, { title: 'Fix it', priority });
      this.issues.push(issue.identifier);
      plane.deps.wake();
    });
  }

  #pause(plane: SimPlane): void {
    const { random, checker } = this.#world;
    if (this.paused) return this.resume(plane);
    const stopRunning = random.chance(0.5);
    const resumes = this.#resumes;
    this.#do(plane, `pause${stopRunning ? ' and stop' : ''}`, async () => {
      // A stopped attempt that no runner had yet gives its number up.
      if (stopRunning) for (const identifier of this.issues) checker.ledger.forgive(identifier);
      await pauseService(plane.deps, { reason: 'lunch', stopRunning, caller: PERSON });
      if (stopRunning) for (const identifier of this.issues) checker.ledger.forgive(identifier);
      this.paused = true;
      // Of two wishes under way at once either may have been the last.
      if (this.#resumes === resumes) checker.ledger.paused();
    });
  }

  resume(plane: SimPlane): void {
    const { checker } = this.#world;
    this.#resumes += 1;
    checker.ledger.resumed();
    this.#do(plane, 'resume', async () => {
      await resumeService(plane.deps, PERSON);
      this.paused = false;
    });
  }

  #answer(plane: SimPlane): void {
    this.#do(plane, 'answer what is asked', async () => {
      const { rows } = await plane.look.execute(
        `select r.request_id, r.identifier, r.plan, a.number from requests r
         join attempts a on a.attempt_id = r.attempt_id where r.state = 'asked' limit 1`,
      );
      const row = rows[0];
      if (row === undefined) return;
      const requestId = rowText(row['request_id']);
      if (row['plan'] === null) {
        await answerRequest(plane.deps, { requestId, answers: { q: ['this'] }, caller: PERSON });
        return;
      }
      const identifier = rowText(row['identifier']);
      const plan = { identifier, number: Number(row['number']), text: rowText(row['plan']) };
      await this.#decide(plane, requestId, plan);
    });
  }

  /** Reads a plan for a while, and decides it. */
  async #decide(plane: SimPlane, requestId: string, plan: ReadPlan): Promise<void> {
    const { random, checker, time } = this.#world;
    const decision = random.chance(0.7) ? APPROVE : 'Another one, please.';
    await time.delay(random.int(0, 5_000));
    const isOver = checker.plans.isOver(plan);
    if (decision === APPROVE) checker.plans.approves(plan);
    checker.ledger.reopened(plan.identifier);
    checker.ledger.touch(plan.identifier);
    const answers = { [PLAN_DECISION]: [decision] };
    await answerRequest(plane.deps, { requestId, answers, caller: PERSON });
    if (isOver) checker.plans.decidedLate(plan);
    checker.ledger.touch(plan.identifier);
  }

  #drain(plane: SimPlane): void {
    const { runnerId, host } = this.#world.random.pick(this.#world.runners);
    this.#do(plane, `drain ${host.name}`, () =>
      drainRunner(plane.deps, { runnerId, caller: PERSON }),
    );
  }

  /** An instance died: what was begun there may or may not have happened. */
  planeDied(plane: SimPlane): void {
    for (const identifier of this.#open.get(plane) ?? []) this.#touched(identifier);
    this.#open.delete(plane);
  }

  #touched(identifier: string): void {
    const { ledger, trees } = this.#world.checker;
    ledger.touch(identifier);
    trees.moved(identifier);
  }

  #do(
    plane: SimPlane,
    what: string,
    work: () => Promise<unknown>,
    /** The issue that it is about, and whether its counts start anew. */
    about: { identifier: string | null; touches: boolean } = { identifier: null, touches: false },
  ): void {
    const { identifier, touches } = about;
    const { trace, checker } = this.#world;
    trace.add('person', what);
    const open = this.#open.get(plane) ?? new Set();
    this.#open.set(plane, open);
    const touch = () => {
      if (identifier !== null && touches) this.#touched(identifier);
    };
    if (identifier !== null) open.add(identifier);
    touch();
    work()
      .then(() => {
        touch();
        trace.add('person', `${what}: ok`);
      })
      .catch((error: unknown) => {
        touch();
        // An abort whose answer was lost may have stopped it all the same.
        if (identifier !== null && !touches) checker.ledger.forgive(identifier);
        trace.add('person', `${what}: ${messageOf(error)}`);
      })
      .finally(() => {
        if (identifier !== null) open.delete(identifier);
      });
  }
}
