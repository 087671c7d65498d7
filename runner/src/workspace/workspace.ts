import type { DiffStat } from '@switchyard/shared/api/work/diff-stat';
import type { WorkspaceTrouble } from '@switchyard/shared/reasons/needs-person';
import type { CommandResult } from '../container/container-engine.ts';

/** A repository as the route in the configuration names it. */
export type RepositorySource = {
  /** https://…, ssh://… or file:///absolute/path (on this host). */
  url: string;
  /** Undefined: the remote's HEAD. */
  defaultBranch?: string;
  /**
   * A submodule, whose mirror is one of its own: a workspace borrows all that is in it, and what issues
   * keep in the mirror of a repository is not for workspaces of others. `named` by the operator, who
   * so allows credentials; or `public`, which gets none.
   */
  submodule?: 'named' | 'public';
};

/** Runs argv inside the workspace's isolation: same mounts, no network. Bound to one attempt. */
export type RunInWorkspace = (command: {
  purpose: string;
  argv: readonly string[];
  env?: Readonly<Record<string, string>>;
  timeoutMs: number;
  maxOutputBytes: number;
  stdoutFile?: string;
}) => Promise<CommandResult>;

export type PreparedWorkspace = {
  /** Host path of the clone (its own `.git`, borrowed objects). Equal inside the container. */
  path: string;
  /** Host path of the mirror's object store, to be mounted read-only at the same path. */
  objectsPath: string;
  mirrorPath: string;
  branch: string;
  baseBranch: string;
  baseCommit: string;
  created: boolean;
  /** Host paths of the object stores that its submodules borrow from, to be mounted as `objectsPath`. */
  submoduleObjects?: readonly string[];
  /** What it does not hold though the repository has it, in sentences for people and the agent. */
  notices?: readonly string[];
  /** The folder is empty: after_create clones into it, and work goes on from this commit. */
  toClone?: { startCommit: string };
};

export type CommitIdentity = { name: string; email: string; signingKeyPath?: string };

/** The state of the work after staging and committing what was dirty. */
export type Snapshot = {
  /** Full object id of HEAD in the mirror, or null when there is no difference to the base. */
  commitSha: string | null;
  diff: string;
  /** The diff was cut at its limit. */
  diffTruncated: boolean;
  diffStat: DiffStat;
  /** What keeps the work from being delivered as it is; the agent can put it right. */
  problems: WorkProblem[];
  /** Commits of the agent that `commitSha` does not contain. */
  aside: LeftAside[];
  /** Whether the agent should be asked if `commitSha` is what it means to deliver. */
  unclear: boolean;
};

/** One reason not to deliver what is in a workspace, in the shape of the push checks. */
export type WorkProblem = {
  rule:
    | 'merge_open'
    | 'rebase_open'
    | 'cherry_pick_open'
    | 'revert_open'
    | 'bisect_open'
    | 'unmerged_path'
    | 'embedded_repository'
    | 'unreadable_path'
    | 'submodule_change'
    | 'submodule_commits'
    | 'submodule_removed'
    | 'conflict_marker'
    | 'unrelated_history';
  path: string | null;
  line: number | null;
  message: string;
};

/** A commit that is not delivered, and where the mirror keeps it. */
export type LeftAside = { name: string; commitSha: string; subject: string; keptAs: string };

/** A failure with words for a person; `code` is stable, and says who can end it. */
export class WorkspaceError extends Error {
  readonly code: WorkspaceTrouble;
  constructor(code: WorkspaceTrouble, message: string) {
    super(message);
    this.name = 'WorkspaceError';
    this.code = code;
  }
}
