import { workspaceKey } from '@switchyard/shared/protocol/workspace-key';
import type { RepositorySource } from '../workspace.ts';

/** Folder name of a repository's mirror: the rule of workspace keys, applied to the address. */
export function mirrorKey(repositoryUrl: string, use?: RepositorySource['submodule']): string {
  // No address has a blank.
  return workspaceKey(use === undefined ? repositoryUrl : `${use} submodule ${repositoryUrl}`);
}
