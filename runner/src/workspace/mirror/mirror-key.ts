import { workspaceKey } from '@switchyard/shared/protocol/workspace-key';
import type { RepositorySource } from '../workspace.ts';

/** Folder name of a repository's mirror: made like a workspace key, from the address. */
export function mirrorKey(repositoryUrl: string, use?: RepositorySource['submodule']): string {
  // The prefix is unambiguous, because no address contains a blank.
  return workspaceKey(use === undefined ? repositoryUrl : `${use} submodule ${repositoryUrl}`);
}
