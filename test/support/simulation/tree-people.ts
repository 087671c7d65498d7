import type { LocalState } from '@switchyard/shared/api/work/local-issue';
import { createLocalIssue } from '../../../control-plane/src/integrations/local/tracker/create-local-issue.ts';
import { updateLocalIssue } from '../../../control-plane/src/integrations/local/tracker/update-local-issue.ts';
import { retryIssue } from '../../../control-plane/src/issues/actions/retry-issue.ts';
import { splitIssue } from '../../../control-plane/src/issues/sub-issues/split-issue.ts';
import { Random } from './random.ts';
import { rowText } from './row-text.ts';
import { PERSON } from './simulated-config.ts';
import type { SimPlane } from './sim-plane.ts';
import type { World } from './world.ts';

export type TreeClick =
  | 'split'
  | 'add'
  | 'adopt'
  | 'cancel'
  | 'merge'
  | 'reopen'
  | 'again'
  | 'cycle';

/** Sub-issues of a world: enough for two trees, and few enough that all are worked on in time. */
const MAX_PARTS = 8;

const WEIGHTS: Record<TreeClick, number> = {
  split: 4,
  add: 2,
  adopt: 1,
  cancel: 1,
  merge: 4,
  reopen: 1,
  again: 1,
  cycle: 1,
};

type About = { identifier: string; touches: boolean };
type Act = (plane: SimPlane, what: string, work: () => Promise<unknown>, about: About) => void;

/** People who split issues and close their sub-issues. Their chances are drawn apart from others'. */
export class TreePeople {
  readonly random: Random;
  readonly #world: World;
  readonly #issues: string[];
  readonly #act: Act;
  readonly #weights: Record<TreeClick, number>;
  #parts = 0;

  /** `issues`: what people know of, to which the new sub-issues are added. */
  constructor(world: World, issues: string[], act: Act) {
    this.#world = world;
    this.#issues = issues;
    this.#act = act;
    this.random = new Random(world.options.seed * 86_028_121);
    this.#weights = { ...WEIGHTS, ...world.options.scenario.treeClicks };
  }

  /** Does one thing with an issue or its sub-issues. */
  click(): void {
    const plane = this.#world.leader();
    if (plane === null || this.#issues.length === 0) return;
    const click = this.random.weighted(this.#weights);
    if (click === 'split') return this.#split(plane);
    this.#clickPart(plane, click).catch((error: unknown) =>
      this.#world.trace.add('person', String(error)),
    );
  }

  #split(plane: SimPlane): void {
    const count = this.random.int(2, 4);
    if (this.#parts + count > MAX_PARTS) return;
    const identifier = this.random.pick(this.#issues);
    const subIssues = Array.from({ length: count }, (_, at) => ({
      title: `Part ${at + 1}`,
      blockedBy: Array.from({ length: at }, (__, before) => `#${before + 1}`).filter(() =>
        this.random.chance(0.4),
      ),
    }));
    const work = async () => {
      const split = { subIssues };
      const made = await splitIssue(plane.deps, { identifier, split, caller: PERSON });
      this.#added(
        identifier,
        made.subIssues.map((part) => part.identifier),
      );
    };
    this.#act(plane, `split ${identifier}`, work, { identifier, touches: true });
  }

  #added(parent: string, parts: readonly string[]): void {
    this.#parts += parts.length;
    this.#issues.push(...parts);
    this.#world.checker.trees.added(parent, parts);
  }

  async #clickPart(plane: SimPlane, click: Exclude<TreeClick, 'split'>): Promise<void> {
    const parts = await partsOf(plane);
    if (parts.length === 0) return;
    const part = this.random.pick(parts);
    const open = parts.filter(({ isOpen }) => isOpen);
    const over = parts.filter(({ isOpen }) => !isOpen);
    const handedIn = open.filter(({ status }) => status === 'completed');
    const ended = over.filter(({ parent }) => open.every((other) => other.parent !== parent));
    switch (click) {
      case 'add':
        return this.#add(plane, part);
      case 'adopt':
        return this.#adopt(plane, parts, this.random.pick(this.#issues));
      case 'cancel':
        return this.#moveOneOf(plane, open, 'Canceled');
      case 'merge':
        return this.#moveOneOf(plane, handedIn.length > 0 ? handedIn : open, 'Done');
      case 'reopen':
        return this.#moveOneOf(plane, over, 'Todo');
      case 'again':
        return this.#again(plane, this.random.pick(ended.length > 0 ? ended : parts).parent);
      case 'cycle':
        return this.#cycle(plane, part, this.random.pick(parts));
    }
  }

  /** Adds a part to an issue that was split, or to any other. */
  #add(plane: SimPlane, { identifier: sibling, parent: ofSibling }: Part): void {
    if (this.#parts >= MAX_PARTS) return;
    const blockedBy = this.random.chance(0.5) ? [sibling] : [];
    const parent = this.random.chance(0.7) ? ofSibling : this.random.pick(this.#issues);
    const work = async () => {
      const input = { title: 'One part more', parent, blockedBy };
      const made = await createLocalIssue(trackerOf(plane), PERSON, input);
      this.#added(parent, [made.identifier]);
      plane.deps.wake();
    };
    const about = { identifier: parent, touches: true };
    this.#act(plane, `add a sub-issue to ${parent}`, work, about);
  }

  /** Makes an issue a part of another one, whatever has become of both. */
  #adopt(plane: SimPlane, parts: readonly Part[], parent: string): void {
    const { trees, ledger } = this.#world.checker;
    const isPart = new Set(parts.map(({ identifier }) => identifier));
    const others = this.#issues.filter((one) => !isPart.has(one) && one !== parent);
    if (others.length === 0) return;
    const identifier = this.random.pick(others);
    const work = async () => {
      // Its parent begins anew as well, whether or not the answer arrives.
      ledger.touch(parent);
      await updateLocalIssue(trackerOf(plane), PERSON, {
        identifier,
        changes: { parent },
      }).finally(() => ledger.touch(parent));
      trees.added(parent, [identifier]);
      plane.deps.wake();
    };
    const what = `make ${identifier} a part of ${parent}`;
    this.#act(plane, what, work, { identifier, touches: true });
  }

  #moveOneOf(plane: SimPlane, parts: readonly Part[], state: LocalState): void {
    if (parts.length === 0) return;
    this.#move(plane, this.random.pick(parts).identifier, state);
  }

  #move(plane: SimPlane, identifier: string, state: LocalState): void {
    const work = async () => {
      await updateLocalIssue(trackerOf(plane), PERSON, { identifier, changes: { state } });
      plane.deps.wake();
    };
    this.#act(plane, `move ${identifier} to ${state}`, work, { identifier, touches: true });
  }

  /** Wants a split issue itself worked on, which is possible when its sub-issues have ended. */
  #again(plane: SimPlane, parent: string): void {
    this.#world.checker.ledger.reopened(parent);
    const work = () => retryIssue(plane.deps, { identifier: parent, caller: PERSON });
    this.#act(plane, `retry ${parent}`, work, { identifier: parent, touches: true });
  }

  /** Two people at once let two sub-issues wait for each other, or one lets a part wait for its issue. */
  #cycle(plane: SimPlane, one: Part, other: Part): void {
    const wait = (identifier: string, blocker: string) => {
      const changes = { blockedBy: [blocker] };
      const what = `let ${identifier} wait for ${blocker}`;
      const work = async () => {
        await updateLocalIssue(trackerOf(plane), PERSON, { identifier, changes });
        if (blocker === one.parent) this.#world.checker.trees.acceptedCycle(what);
      };
      this.#act(plane, what, work, { identifier, touches: true });
    };
    if (one.identifier === other.identifier) return wait(one.identifier, one.parent);
    wait(one.identifier, other.identifier);
    wait(other.identifier, one.identifier);
  }

  /** Closes the open sub-issues on which nobody works. */
  async closeResting(plane: SimPlane): Promise<void> {
    const { merge, cancel } = this.#weights;
    for (const { identifier, isOpen, status, state } of await partsOf(plane)) {
      const isIdle = status === 'idle' && (state === 'Backlog' || state === 'In Review');
      if (isOpen && (isIdle || RESTING.has(status)))
        this.#move(
          plane,
          identifier,
          this.random.chance(merge / (merge + cancel)) ? 'Done' : 'Canceled',
        );
    }
  }
}

const RESTING: ReadonlySet<string> = new Set(['completed', 'failed', 'blocked', 'cancelled']);

type Part = {
  identifier: string;
  parent: string;
  state: string;
  isOpen: boolean;
  /** Status of the recorded issue. */
  status: string;
};

/** Every sub-issue in the tracker's own rows. */
async function partsOf({ look }: Pick<SimPlane, 'look'>): Promise<Part[]> {
  const { rows } = await look.execute(
    `select part.identifier, parent.identifier as parent, part.state, i.status from local_issues part
     join local_issues parent on parent.id = part.parent_id
     join issues i on i.tracker = 'local' and i.id = part.id order by part.number`,
  );
  return rows.map((row) => ({
    identifier: rowText(row['identifier']),
    parent: rowText(row['parent']),
    state: rowText(row['state']),
    isOpen: row['state'] !== 'Done' && row['state'] !== 'Canceled',
    status: rowText(row['status']),
  }));
}

function trackerOf(plane: SimPlane) {
  return { ...plane.deps, settings: plane.localTracker };
}
