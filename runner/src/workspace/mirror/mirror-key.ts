import { workspaceKey } from '@switchyard/shared/protocol/workspace-key';

/** Folder name of a repository's mirror: the rule of workspace keys, applied to the address. */
export function mirrorKey(repositoryUrl: string): string {
  return workspaceKey(repositoryUrl);
}
