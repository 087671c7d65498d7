/** Who moved the base branch: the test of a merge, a person who merged, or anybody else. */
export type MovedBy =
  | { kind: 'test'; attemptId: string; epoch: number }
  | { kind: 'person' }
  | { kind: 'foreign' };

/** A commit of an issue's branch. Commits of two issues may have one name here. */
export type Work = { branch: string; commitSha: string };

/** A commit on the base branch. */
export type BaseCommit = {
  sha: string;
  /** What came in with it; null: nothing of an issue. */
  brought: Work | null;
  by: MovedBy;
};

const FIRST = 'a'.repeat(40);

/** What a commit of a branch is called where chances are drawn for it. */
export function nameOf({ branch, commitSha }: Work): string {
  return `${branch} ${commitSha}`;
}

/** The base branch of the simulated remote, with everything that came into it. */
export class SimBase {
  readonly commits: BaseCommit[] = [{ sha: FIRST, brought: null, by: { kind: 'foreign' } }];
  readonly #moved: (commit: BaseCommit) => void;

  constructor(moved: (commit: BaseCommit) => void) {
    this.#moved = moved;
  }

  get head(): string {
    return this.commits.at(-1)?.sha ?? FIRST;
  }

  /** A name for a commit that would come next. */
  nextSha(): string {
    return this.commits.length.toString(16).padStart(8, '0').padStart(40, 'b');
  }

  /** How a commit came in; null when the base does not contain it. */
  find({ branch, commitSha }: Work): { baseCommit: string; mergeCommit: string } | null {
    const at = this.commits.findIndex(
      ({ brought }) => brought?.commitSha === commitSha && brought.branch === branch,
    );
    const [before, found] = [this.commits[at - 1], this.commits[at]];
    if (before === undefined || found === undefined) return null;
    return { baseCommit: before.sha, mergeCommit: found.sha };
  }

  /** Names of everything that came in. */
  brought(): string[] {
    return this.commits.flatMap(({ brought }) => (brought === null ? [] : nameOf(brought)));
  }

  /** A push with a lease on the head: false when the base is elsewhere by now. */
  move(from: string, commit: BaseCommit): boolean {
    if (this.head !== from) return false;
    this.commits.push(commit);
    this.#moved(commit);
    return true;
  }
}
