import type { AttemptRow } from '../../db/schema/work/attempts.ts';

/** The branch that has an attempt's work; null before the attempt has a workspace. */
export function branchOfWork({
  branch,
  base_branch: base,
}: Pick<AttemptRow, 'branch' | 'base_branch'>): string | null {
  return base === null ? null : branch;
}
