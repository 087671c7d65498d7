import { createCoreWorld } from '../support/core/core-world.ts';
import { openFramePeer } from '../support/core/runner-peers.ts';
import { describeRunnerProtocol } from './describe-runner-protocol.ts';

describeRunnerProtocol('frames on a file database', (variables) =>
  createCoreWorld(openFramePeer, variables),
);
