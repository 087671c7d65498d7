import type { WorkIdentity } from '../../container/container-engine.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { CommitIdentity } from '../workspace.ts';

/** A clone to be made, and what it begins with. */
export type ClonePlan = {
  /** A folder that does not exist yet, of the runner's own. */
  draft: string;
  mirror: Pick<Mirror, 'path' | 'objectsPath' | 'url'>;
  baseBranch: string;
  /** Where the base branch stands, also for the clone's `origin`. */
  head: string;
  branch: string;
  startCommit: string;
  identity: CommitIdentity;
  owner: WorkIdentity;
  /** Folders to check out, with the files above them. Default: everything. */
  sparsePaths?: readonly string[];
  signal?: AbortSignal;
};
