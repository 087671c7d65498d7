import type { InitializeRequest } from '@agentclientprotocol/sdk';
import { productVersion } from '@switchyard/shared/product-version';
import type { RpcClient } from '../json-rpc/rpc-client.ts';
import { AGENT_METHODS } from './agent-methods.ts';
import { InitializeAnswer } from './session-update.ts';

/** The version of the protocol that this adapter speaks. */
const PROTOCOL_VERSION = 1;

/** What an agent said of itself. */
export type AgentFacts = {
  version: string;
  /** It reaches tool servers over HTTP. */
  httpTools: boolean;
};

/**
 * Introduces us to a fresh agent. We offer it forms for people, and neither our files nor terminals:
 * it works on its own. Rejects as `RpcClient.request` does, and for another protocol version.
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
