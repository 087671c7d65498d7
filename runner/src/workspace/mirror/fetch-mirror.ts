import { assertBranchName } from '../git/branch-name.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { type RepositorySource, WorkspaceError } from '../workspace.ts';
import { type Fetched, type Mirror, mirrorCommit, updateMirrorUnless } from './mirror.ts';

export type FetchedMirror = Mirror & {
  /**
   * The configured default branch if the remote has it, else the one of the remote's HEAD. If that
   * names none, `baseBranch` or else the configured one, although it is gone.
   */
  defaultBranch: string;
  /** The remote lacks the requested branch. */
  baseIsGone: boolean;
};

/**
 * The mirror in the remote's present state, for work that needs no base: a missing default branch
 * is no failure. Checks for `baseBranch`, or else for the source's default branch. Throws as
 * updateMirror, but `repository_missing` for a missing default branch only if no name was given.
 */
export async function fetchMirror(
  workspaces: Workspaces,
  source: RepositorySource,
  options: { baseBranch?: string | undefined; signal?: AbortSignal | undefined } = {},
): Promise<FetchedMirror> {
  const { baseBranch, signal } = options;
  if (baseBranch !== undefined) assertBranchName(baseBranch);
  const asked = baseBranch ?? source.defaultBranch;
  const chooseDefault = (fetched: Fetched): Promise<string> => defaultNow(fetched, asked);
  const mirror = await updateMirrorUnless(workspaces, source, { signal, chooseDefault });
  const baseIsGone =
    asked !== undefined &&
    (await mirrorCommit(workspaces, mirror.path, `refs/heads/${asked}`)) === null;
  return { ...mirror, baseIsGone };
}

async function defaultNow(
  { configured, has, askHead }: Fetched,
  asked: string | undefined,
): Promise<string> {
  if (configured !== undefined && (await has(configured))) return configured;
  try {
    return await askHead();
  } catch (error) {
    const isNameless = error instanceof WorkspaceError && error.code === 'repository_missing';
    if (!isNameless || asked === undefined) throw error;
    return asked;
  }
}
