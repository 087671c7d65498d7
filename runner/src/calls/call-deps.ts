import type { LeaseRef } from '../connection/lease-ref.ts';
import type { Log } from '../log.ts';
import type { ContainerEngine } from '../container/container-engine.ts';
import type { ImageSupply } from '../container/docker/image/image-supply.ts';
import type { RunnerSettings } from '../run-options.ts';
import type { Operator } from '../operator/operator.ts';
import type { UsageKeeper } from '../workspace/disk/usage-keeper.ts';
import type { Workspaces } from '../workspace/open-workspaces.ts';

/** Parts of the runner that the handlers of the control plane's calls use. */
export type CallDeps = {
  workspaces: Workspaces;
  /** Known sizes of workspaces. */
  usages: UsageKeeper;
  /** The attempts of this runner. */
  attempts: {
    /** Keys of workspaces that attempts use now. */
    workspacesInUse(): ReadonlySet<string>;
    /** Sends a message to the live turn of an attempt; false when no turn accepts it now. */
    steer(ref: LeaseRef, order: { messageId: string; text: string }): Promise<boolean>;
  };
  /** Where a workspace's own script runs outside of attempts. */
  sandbox: Pick<RunnerSettings, 'image' | 'runnerId' | 'bootId'> & {
    containers: ContainerEngine;
    /** Provides the image; left out: this runner cannot provide one. */
    imageSupply?: Pick<ImageSupply, 'status' | 'begin'>;
  };
  /** Performs operators' requests to the agent engine. */
  operator: Pick<Operator, 'answer' | 'testTurn'>;
  log: Log;
};
