import { isDistinctKey, workspaceKey } from '@switchyard/shared/protocol/workspace-key';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';

/** A workspace key of an attempt's specification; null in those of an earlier version. */
type Worked = { key: string | null; identifier: string };
type Keyed = Pick<IssueRow, 'workspace_key' | 'identifier'>;

/**
 * Whether work under an issue's id is that issue's: a tracker may give an id out again, and the issue
 * that has it then has a key of its own.
 */
export function isOfIssue({ key, identifier }: Worked, issue: Keyed): boolean {
  return !hasKeyOfItsOwn(issue) || (key ?? workspaceKey(identifier)) === issue.workspace_key;
}

/** One that is named anew keeps a key that is no longer its name: that alone makes it no other issue. */
export function hasKeyOfItsOwn({ workspace_key: key, identifier }: Keyed): boolean {
  return key !== null && isDistinctKey(key) && key !== workspaceKey(identifier);
}

export function workedOf({ spec, identifier }: Pick<AttemptRow, 'spec' | 'identifier'>): Worked {
  return { key: spec.workspaceKey ?? null, identifier };
}
