import type { PullRequestRow } from '../../db/schema/work/pull-requests.ts';

/** The message of the commit that merges a pull request. */
export function mergeMessage({
  number,
  branch,
  title,
}: Pick<PullRequestRow, 'number' | 'branch' | 'title'>): string {
  return `Merge pull request #${number} from ${branch}\n\n${title}\n`;
}
