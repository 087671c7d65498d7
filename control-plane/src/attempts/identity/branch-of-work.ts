import type { AttemptRow } from '../../db/schema/work/attempts.ts';

/** Where an attempt's work is; null before it has a workspace, whose base is told with it. */
export function branchOfWork({
  branch,
  base_branch: base,
}: Pick<AttemptRow, 'branch' | 'base_branch'>): string | null {
  return base === null ? null : branch;
}
