import type { RepositorySpec } from '@switchyard/shared/protocol/attempt-spec';
import type { RepositorySource } from './workspace.ts';

/** A repository of the protocol in the form of the workspace functions. */
export function repositorySource({ url, defaultBranch }: RepositorySpec): RepositorySource {
  return defaultBranch === undefined ? { url } : { url, defaultBranch };
}
