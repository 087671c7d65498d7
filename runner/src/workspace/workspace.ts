import type { DiffStat } from '@switchyard/shared/api/work/diff-stat';
import type { WorkspaceTrouble } from '@switchyard/shared/reasons/needs-person';
import type { CommandResult } from '../container/container-engine.ts';

/** A repository as the configured route names it. */
export type RepositorySource = {
  /** https://…, ssh://… or file:///absolute/path (on this host). */
  url: string;
  /** Default branch; undefined: that of the remote's HEAD. */
  defaultBranch?: string;
  /**
   * Set for a submodule, which has a mirror of its own: a workspace can read all of it, and issues'
   * work in a repository's mirror must stay hidden from others. `named` by the operator, who
   * thereby allows credentials; or `public`, without credentials.
   */
  submodule?: 'named' | 'public';
};

/**
 * Runs argv inside the workspace's isolation with its mounts and without network. Bound to one
 * attempt.
 */
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
  /** Host path of the mirror's object store, mounted read-only at the same path. */
  objectsPath: string;
  mirrorPath: string;
  branch: string;
  baseBranch: string;
  baseCommit: string;
  created: boolean;
  /** Host paths of the object stores of its submodules, mounted like `objectsPath`. */
  submoduleObjects?: readonly string[];
  /** What the workspace lacks of the repository, in sentences for people and the agent. */
  notices?: readonly string[];
  /** Tree of its files before the last attempt, which had only to read and could write. */
  putBackTo?: string;
  /** Set for an empty folder: after_create clones into it, and work continues from this commit. */
  toClone?: { startCommit: string };
};

export type CommitIdentity = { name: string; email: string; signingKeyPath?: string };

/** The work after staging and committing all changes. */
export type Snapshot = {
  /** Full object id of HEAD in the mirror; null when there is no difference to the base. */
  commitSha: string | null;
  diff: string;
  /** The diff was truncated at its limit. */
  diffTruncated: boolean;
  diffStat: DiffStat;
  /** Problems that prevent delivery and that the agent can fix. */
  problems: WorkProblem[];
  /** Commits of the agent that `commitSha` does not contain. */
  aside: LeftAside[];
  /** Whether the agent should confirm that `commitSha` is its result. */
  unclear: boolean;
};

/** A reason not to deliver a workspace's content, in the form of the push checks. */
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

/** A commit that is not delivered, with the mirror's ref that keeps it. */
export type LeftAside = { name: string; commitSha: string; subject: string; keptAs: string };

/** A failure with a message for people; `code` is stable and tells who can resolve it. */
export class WorkspaceError extends Error {
  readonly code: WorkspaceTrouble;
  constructor(code: WorkspaceTrouble, message: string) {
    super(message);
    this.name = 'WorkspaceError';
    this.code = code;
  }
}
