import type { AgentEngine } from '../agent-engine.ts';
import type { AcpProfile } from './acp-profile.ts';
import type { SessionTimeouts } from './session/acp-session.ts';

/**
 * Milliseconds. Agents are large programs that load a while on a busy machine; a session of many
 * turns is read from disk before it is resumed.
 */
const DEFAULT_TIMEOUTS: SessionTimeouts = {
  startTimeoutMs: 120_000,
  requestTimeoutMs: 60_000,
  cancelTimeoutMs: 10_000,
  joinedTimeoutMs: 30_000,
};

/** An agent that speaks the Agent Client Protocol as an engine. */
export function createAcpEngine(
  profile: AcpProfile,
  timeouts: Partial<SessionTimeouts> = {},
): AgentEngine {
  const { name, capabilities, configPaths, instructionFiles } = profile;
  const limits = { ...DEFAULT_TIMEOUTS, ...timeouts };
  return {
    name,
    capabilities,
    tools: 'mcp',
    configPaths,
    instructionFiles,
    launch: (spec) => profile.launch(spec),
    open: async (session) => {
      // With the first attempt that uses it: a runner loads nothing for engines that nobody chose.
      const { AcpSession } = await import('./session/acp-session.ts');
      return AcpSession.open(session, profile, limits);
    },
  };
}
