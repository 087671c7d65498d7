import { createCoreWorld } from '../support/core/core-world.ts';
import { openSyncPeer } from '../support/core/runner-peers.ts';
import { describeRunnerProtocol } from './describe-runner-protocol.ts';

describeRunnerProtocol('requests on a file database', (variables) =>
  createCoreWorld(openSyncPeer, variables),
);
