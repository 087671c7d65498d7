import type { LeaseRef } from '../connection/lease-ref.ts';
import type { Log } from '../log.ts';
import type { ContainerEngine } from '../container/container-engine.ts';
import type { ImageSupply } from '../container/docker/image/image-supply.ts';
import type { Operator } from '../operator/operator.ts';
import type { UsageKeeper } from '../workspace/disk/usage-keeper.ts';
import type { Workspaces } from '../workspace/open-workspaces.ts';
import type { CommitIdentity } from '../workspace/workspace.ts';

/** What answers to a control plane's calls need of the runner. */
export type CallDeps = {
  workspaces: Workspaces;
  /** Keys of workspaces that attempts hold now. */
  workspacesInUse(): ReadonlySet<string>;
  /** Words for the live turn of an attempt; false when no turn takes them now. */
  steer(ref: LeaseRef, order: { messageId: string; text: string }): Promise<boolean>;
  /** Who merges: no attempt, so no attempt's identity. */
  identity: CommitIdentity;
  /** Where a workspace's own script runs when no attempt is there. */
  sandbox: { containers: ContainerEngine; image: string; runnerId: string; bootId: string };
  /** The sandbox image of this runner; left out: it has none to speak of. */
  imageSupply?: Pick<ImageSupply, 'status' | 'begin'>;
  /** What is known of the size of workspaces. */
  usages?: UsageKeeper;
  /** Answers what operators ask the agent engine. */
  operator: Pick<Operator, 'answer' | 'testTurn'>;
  log: Log;
};
