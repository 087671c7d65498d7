import type { InitializeRequest } from '@agentclientprotocol/sdk';
import { productVersion } from '@switchyard/shared/product-version';
import type { RpcClient } from '../json-rpc/rpc-client.ts';
import { AGENT_METHODS } from './agent-methods.ts';
import { InitializeAnswer } from './session-update.ts';

/** The protocol version of this adapter. */
const PROTOCOL_VERSION = 1;

/** What an agent reported about itself. */
export type AgentFacts = {
  version: string;
  /** Whether it can use tool servers over HTTP. */
  httpTools: boolean;
};

/**
 * Initialises a new agent. It is offered forms for people, but no files or terminals of this
 * client. Rejects as `RpcClient.request` does, and for another protocol version.
 */
export async function initialize(rpc: RpcClient, timeoutMs: number): Promise<AgentFacts> {
  const params = {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      elicitation: { form: {} },
    },
    clientInfo: { name: 'switchyard', title: 'Switchyard', version: productVersion },
  } satisfies InitializeRequest;
  const answer = await rpc.request(AGENT_METHODS.initialize, params, { timeoutMs });
  const parsed = InitializeAnswer.safeParse(answer);
  if (!parsed.success) {
    throw new Error('the agent answered "initialize" in a form that the protocol does not have');
  }
  const { protocolVersion, agentInfo, agentCapabilities } = parsed.data;
  if (protocolVersion !== PROTOCOL_VERSION) {
    throw new Error(
      `the agent speaks version ${protocolVersion} of the Agent Client Protocol and this runner ` +
        `version ${PROTOCOL_VERSION}; install another version of the agent`,
    );
  }
  const httpTools = agentCapabilities?.mcpCapabilities?.http === true;
  return { version: agentInfo?.version ?? 'unknown', httpTools };
}
