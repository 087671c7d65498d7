import { assertBranchName } from '../git/branch-name.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { type RepositorySource, WorkspaceError } from '../workspace.ts';
import { type Fetched, type Mirror, mirrorCommit, updateMirrorUnless } from './mirror.ts';

export type FetchedMirror = Mirror & {
  /**
   * The configured default branch while the remote has it, else the one that the remote's HEAD names
   * now. Where it names none: what was asked for, though it is gone.
   */
  defaultBranch: string;
  /** The remote has no branch of the name that was asked about. */
  baseIsGone: boolean;
};

/**
 * The mirror of a repository as the remote stands now, for work that needs no base: a default branch
 * that is gone fails nothing. Asks about `baseBranch`, or else about the default branch that the
 * source names. Throws as updateMirror; `repository_missing` for want of a default branch only where
 * no name was given either.
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
