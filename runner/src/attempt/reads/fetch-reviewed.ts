import { mirrorCommit, mirrorPathOf } from '../../workspace/mirror/mirror.ts';
import type { RepositorySource } from '../../workspace/workspace.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import { AttemptFailed } from '../attempt-end.ts';

const OBJECT_ID = /^[0-9a-f]{40,64}$/;

/**
 * Fetches the branches if the mirror does not have the commit to review. Resolves with the commit;
 * undefined when no branch has it. Never removes a workspace, which may have unfinished work.
 * Throws AttemptFailed and WorkspaceError.
 */
export async function fetchReviewed(
  { deps: { workspaces }, control }: AttemptContext,
  source: RepositorySource,
  commit: string,
): Promise<string | undefined> {
  if (!OBJECT_ID.test(commit))
    throw new AttemptFailed('workspace_error', 'the commit to review is not named by its whole id');
  const mirrorPath = mirrorPathOf(workspaces, source);
  const known = await mirrorCommit(workspaces, mirrorPath, commit);
  if (known !== null) return known;
  await workspaces.updateMirror(source, control.signal);
  return (await mirrorCommit(workspaces, mirrorPath, commit)) ?? undefined;
}
