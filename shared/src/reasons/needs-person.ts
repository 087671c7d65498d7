import type { ReasonCode } from '../api/work/reason-code.ts';

/**
 * Who can end a runner's trouble with a repository or workspace: `time`, when a retry may succeed;
 * the `agent`, when its work causes it; or a `person`, when every retry before that fails.
 * `reason`: what blocks an issue with it before its agent starts; null: it does not block it.
 */
type Trouble = { ends: 'time' | 'agent' } | { ends: 'person'; reason: ReasonCode | null };

const passes = { ends: 'time' } as const;
const ofWork = { ends: 'agent' } as const;
const person = <R extends ReasonCode | null>(reason: R) => ({ ends: 'person', reason }) as const;

/** One entry for each code of a WorkspaceError. */
export const WORKSPACE_TROUBLES = {
  /** The runner may not access the repository at that address. */
  repository_refused: person('repository_refused'),
  /** The address has no repository, or one without commits. */
  repository_missing: person('repository_unusable'),
  /** The remote has no branch of the name that the route configures. */
  base_missing: person('base_missing'),
  /** The name is not a valid branch, or the branch is not the service's to move. */
  branch_refused: person('branch_refused'),
  /** In the workspace's place is a link that leads elsewhere, or something that is no folder. */
  workspace_escape: person('workspace_foreign'),
  /** The existing folder was not made for this work, and only a person may remove it. */
  workspace_foreign: person('workspace_foreign'),
  /** The workspace cannot currently be read, written or assigned to the agent's user. */
  workspace_unusable: passes,
  git_failed: passes,
  /** The code host did not respond, or only with a server error. */
  host_unreachable: passes,
  /** The code host refuses this runner's credentials, so it is paused for all issues. */
  host_auth_failed: person(null),
  hook_failed: passes,
  hook_timeout: passes,
  /** The remote did not move the branch; a retry may succeed. */
  push_rejected: passes,
  /** A rule, a permission or commits of others prevent the push, so a retry never succeeds. */
  push_refused: person(null),
  snapshot_too_large: ofWork,
  /** Git refuses the work as it is and gives the reason. */
  snapshot_refused: ofWork,
  /** Git on the host reached a limit of memory, processor time, file size or nesting. */
  limit_exceeded: ofWork,
  /** Conflict of a merge that a person requested. */
  merge_conflict: person(null),
} as const satisfies Record<string, Trouble>;

export type WorkspaceTrouble = keyof typeof WORKSPACE_TROUBLES;

const troubles = Object.entries(WORKSPACE_TROUBLES) as [WorkspaceTrouble, Trouble][];

/** Codes of a failed push for which every retry fails until a person acts. */
export const NEEDS_PERSON: ReadonlySet<string> = new Set(
  troubles.filter(([, { ends }]) => ends === 'person').map(([code]) => code),
);

/** Reasons why an attempt cannot start until a person acts. */
export const BLOCKS_START: ReadonlySet<ReasonCode> = new Set([
  ...troubles.flatMap(([, one]) => (one.ends === 'person' && one.reason ? [one.reason] : [])),
  // Things that the runner itself lacks.
  'signing_key_missing',
  'settings_not_hidden',
]);

/** Codes whose cause is one runner or its machine, so that another runner may work. */
export const OF_ONE_RUNNER: ReadonlySet<ReasonCode> = new Set([
  'repository_refused',
  'workspace_foreign',
  'signing_key_missing',
  'settings_not_hidden',
]);

/**
 * The reason that blocks an issue whose attempt could not start; null where a retry may succeed.
 */
export function startBlockedBy(code: WorkspaceTrouble): ReasonCode | null {
  const trouble: Trouble = WORKSPACE_TROUBLES[code];
  return trouble.ends === 'person' ? trouble.reason : null;
}
