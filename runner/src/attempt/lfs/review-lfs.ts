import { cutText } from '@switchyard/shared/text/cut-text';
import { shownPath } from '../../workspace/git/shown-path.ts';
import { lfsWorkOf } from '../../workspace/lfs/lfs-files.ts';
import type { PushProblem } from '../../workspace/push-checks/check-push.ts';
import type { PushRange } from '../../workspace/push-checks/new-commits.ts';
import type { AttemptContext } from '../attempt-deps.ts';

const MAX_PROBLEMS = 20;
const MAX_PATH_CHARS = 500;

const RAW =
  'has raw content in place of an LFS pointer, though .gitattributes gives it to Git LFS: where ' +
  '`git lfs version` works, run `git lfs install --local` and add it again; else leave it as it was';

/** What keeps work from being pushed to a repository with Git LFS. Throws WorkspaceError. */
export async function reviewLfs(
  { deps }: AttemptContext,
  range: PushRange,
): Promise<PushProblem[]> {
  const work = await lfsWorkOf(deps.workspaces, range);
  if (work === null) return [];
  return work.rawPaths.slice(0, MAX_PROBLEMS).map((path) => problem('lfs_raw_content', path, RAW));
}

function problem(rule: PushProblem['rule'], path: string, message: string): PushProblem {
  return { rule, path: shownPath(cutText(path, MAX_PATH_CHARS)), line: null, message };
}
