import { isDistinctKey, workspaceKey } from '@switchyard/shared/protocol/workspace-key';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';

/**
 * `key` is the workspace key of an attempt's specification; null in those of an earlier version.
 */
type Worked = { key: string | null; identifier: string };
type Keyed = Pick<IssueRow, 'workspace_key' | 'identifier'>;

/**
 * Whether an attempt's work belongs to this issue. A tracker may reuse an id for another issue,
 * which then has a workspace key of its own.
 */
export function isOfIssue({ key, identifier }: Worked, issue: Keyed): boolean {
  return !hasKeyOfItsOwn(issue) || (key ?? workspaceKey(identifier)) === issue.workspace_key;
}

/**
 * Whether the key was made distinct because another issue had the usual one. A key that only
 * differs from the identifier does not count, since a renamed issue keeps its old key.
 */
export function hasKeyOfItsOwn({ workspace_key: key, identifier }: Keyed): boolean {
  return key !== null && isDistinctKey(key) && key !== workspaceKey(identifier);
}

export function workedOf({ spec, identifier }: Pick<AttemptRow, 'spec' | 'identifier'>): Worked {
  return { key: spec.workspaceKey ?? null, identifier };
}
