import type { ReasonCode } from '../api/work/reason-code.ts';

/**
 * Who ends a trouble of a runner with a repository or a workspace: `time`, since another try may meet
 * none; the `agent`, since it is in its work; or a `person`, and every try before that meets the same.
 * `reason`: what blocks an issue that meets it before its agent starts; null: it is met elsewhere.
 */
type Trouble = { ends: 'time' | 'agent' } | { ends: 'person'; reason: ReasonCode | null };

const passes = { ends: 'time' } as const;
const ofWork = { ends: 'agent' } as const;
const person = <R extends ReasonCode | null>(reason: R) => ({ ends: 'person', reason }) as const;

/** One entry for each code of a WorkspaceError. */
export const WORKSPACE_TROUBLES = {
  /** The runner may not use the repository at that address. */
  repository_refused: person('repository_refused'),
  /** There is no repository at that address, or none with a commit. */
  repository_missing: person('repository_unusable'),
  /** The branch that the route configures is gone. */
  base_missing: person('base_missing'),
  /** A name that no branch can have, or that is not for us to move. */
  branch_refused: person('branch_refused'),
  /** Something stands where the workspace belongs that leads elsewhere or is no folder. */
  workspace_escape: person('workspace_foreign'),
  /** What stands there was not made for this work, and only a person may remove it. */
  workspace_foreign: person('workspace_foreign'),
  /** It cannot be read, written or given to the agent's user now. */
  workspace_unusable: passes,
  git_failed: passes,
  /** The code host did not answer, or only with an error of its own. */
  host_unreachable: passes,
  /** The code host does not accept this runner's credentials: it is paused for all issues. */
  host_auth_failed: person(null),
  hook_failed: passes,
  hook_timeout: passes,
  /** The remote did not move the branch, and may another time. */
  push_rejected: passes,
  /** A rule, a permission or commits of others: the same push never succeeds. */
  push_refused: person(null),
  snapshot_too_large: ofWork,
  /** Git does not take the work as it is, and says why. */
  snapshot_refused: ofWork,
  /** Host git reached a limit of memory, processor time, file size or nesting. */
  limit_exceeded: ofWork,
  /** Of a merge that a person asked for. */
  merge_conflict: person(null),
} as const satisfies Record<string, Trouble>;

export type WorkspaceTrouble = keyof typeof WORKSPACE_TROUBLES;

const troubles = Object.entries(WORKSPACE_TROUBLES) as [WorkspaceTrouble, Trouble][];

/** Codes of a failed push that the same push meets again until a person has done something. */
export const NEEDS_PERSON: ReadonlySet<string> = new Set(
  troubles.filter(([, { ends }]) => ends === 'person').map(([code]) => code),
);

/** Why an attempt cannot begin until a person has done something. */
export const BLOCKS_START: ReadonlySet<ReasonCode> = new Set([
  ...troubles.flatMap(([, one]) => (one.ends === 'person' && one.reason ? [one.reason] : [])),
  // What the runner itself lacks.
  'signing_key_missing',
  'settings_not_hidden',
]);

/** Those that lie in one runner or its machine: another one may have what it takes. */
export const OF_ONE_RUNNER: ReadonlySet<ReasonCode> = new Set([
  'repository_refused',
  'workspace_foreign',
  'signing_key_missing',
  'settings_not_hidden',
]);

/** The reason that blocks an issue whose attempt could not begin; null where another try may do. */
export function startBlockedBy(code: WorkspaceTrouble): ReasonCode | null {
  const trouble: Trouble = WORKSPACE_TROUBLES[code];
  return trouble.ends === 'person' ? trouble.reason : null;
}
