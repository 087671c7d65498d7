import type { DiffStat } from '@switchyard/shared/api/work/diff-stat';
import type { CommandResult } from '../container/container-engine.ts';

/** A repository as the route in the configuration names it. */
export type RepositorySource = {
  /** https://…, ssh://… or file:///absolute/path (on this host). */
  url: string;
  /** Undefined: the remote's HEAD. */
  defaultBranch?: string;
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
    | 'conflict_marker'
    | 'unrelated_history';
  path: string | null;
  line: number | null;
  message: string;
};

/** A commit that is not delivered, and where the mirror keeps it. */
export type LeftAside = { name: string; commitSha: string; subject: string; keptAs: string };

/** A failure with words for a person; `code` is stable. */
export class WorkspaceError extends Error {
  readonly code:
    | 'repository_refused'
    | 'repository_missing'
    /** The branch that the route configures is gone. */
    | 'base_missing'
    | 'branch_refused'
    | 'workspace_escape'
    | 'workspace_unusable'
    | 'git_failed'
    /** The code host did not answer, or only with an error of its own. */
    | 'host_unreachable'
    /** The code host does not accept this runner's credentials. */
    | 'host_auth_failed'
    | 'hook_failed'
    | 'hook_timeout'
    /** The remote did not move the branch, and may another time. */
    | 'push_rejected'
    /** Only a person can change why it is not taken: the same push never succeeds. */
    | 'push_refused'
    | 'snapshot_too_large'
    /** Git does not take the work as it is, and says why. */
    | 'snapshot_refused'
    /** Host git reached a limit of memory, processor time, file size or nesting. */
    | 'limit_exceeded'
    | 'merge_conflict';
  constructor(code: WorkspaceError['code'], message: string) {
    super(message);
    this.name = 'WorkspaceError';
    this.code = code;
  }
}
