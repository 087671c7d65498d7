import { workspaceKey } from '@switchyard/shared/protocol/workspace-key';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';

/** A workspace key of an attempt's specification; null in those of an earlier version. */
type Worked = { key: string | null; identifier: string };

/**
 * Whether work under an issue's id is that issue's: a tracker may give an id out again, and the issue
 * that has it then has a key of its own.
 */
export function isOfIssue(
  { key, identifier }: Worked,
  issue: Pick<IssueRow, 'workspace_key' | 'identifier'>,
): boolean {
  const own = issue.workspace_key;
  if (own === null || own === workspaceKey(issue.identifier)) return true;
  return (key ?? workspaceKey(identifier)) === own;
}

export function workedOf({ spec, identifier }: Pick<AttemptRow, 'spec' | 'identifier'>): Worked {
  return { key: spec.workspaceKey ?? null, identifier };
}
