import type { LeaseRef } from '../connection/lease-ref.ts';
import type { Log } from '../log.ts';
import type { ContainerEngine } from '../container/container-engine.ts';
import type { ImageSupply } from '../container/docker/image/image-supply.ts';
import type { Operator } from '../operator/operator.ts';
import type { UsageKeeper } from '../workspace/disk/usage-keeper.ts';
import type { Workspaces } from '../workspace/open-workspaces.ts';
import type { CommitIdentity } from '../workspace/workspace.ts';

/** Parts of the runner that the handlers of the control plane's calls use. */
export type CallDeps = {
  workspaces: Workspaces;
  /** Keys of workspaces that attempts use now. */
  workspacesInUse(): ReadonlySet<string>;
  /** Sends a message to the live turn of an attempt; false when no turn accepts it now. */
  steer(ref: LeaseRef, order: { messageId: string; text: string }): Promise<boolean>;
  /** Committer of merges, which belong to no attempt. */
  identity: CommitIdentity;
  /** Where a workspace's own script runs outside of attempts. */
  sandbox: { containers: ContainerEngine; image: string; runnerId: string; bootId: string };
  /** The runner's sandbox image; left out: it has none. */
  imageSupply?: Pick<ImageSupply, 'status' | 'begin'>;
  /** Known sizes of workspaces. */
  usages?: UsageKeeper;
  /** Performs operators' requests to the agent engine. */
  operator: Pick<Operator, 'answer' | 'testTurn'>;
  log: Log;
};
