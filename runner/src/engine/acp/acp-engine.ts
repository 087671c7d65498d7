import type { AgentEngine } from '../agent-engine.ts';
import type { AcpProfile } from './acp-profile.ts';
import type { SessionTimeouts } from './session/acp-session.ts';

/**
 * Milliseconds. Agents are large programs that load slowly on a busy machine, and a long session is
 * read from disk before it is resumed.
 */
const DEFAULT_TIMEOUTS: SessionTimeouts = {
  startTimeoutMs: 120_000,
  requestTimeoutMs: 60_000,
  cancelTimeoutMs: 10_000,
  joinedTimeoutMs: 30_000,
};

/** Creates an engine for an agent that speaks the Agent Client Protocol. */
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
      // Imported with the first attempt that uses it, so that a runner loads nothing for unused
      // engines.
      const { AcpSession } = await import('./session/acp-session.ts');
      return AcpSession.open(session, profile, limits);
    },
  };
}
