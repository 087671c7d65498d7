import type { WorkIdentity } from '../../container/container-engine.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { CommitIdentity } from '../workspace.ts';

/** Parameters of a clone to create. */
export type ClonePlan = {
  /** A new folder of the runner's own. */
  draft: string;
  mirror: Pick<Mirror, 'path' | 'objectsPath' | 'url'>;
  baseBranch: string;
  /** Commit of the base branch, also for the clone's `origin`. */
  head: string;
  branch: string;
  startCommit: string;
  identity: CommitIdentity;
  owner: WorkIdentity;
  /** Folders to check out, with the files above them. Default: everything. */
  sparsePaths?: readonly string[];
  signal?: AbortSignal;
};
