import { fileURLToPath } from 'node:url';
import type { AgentEngine } from '../../agent-engine.ts';
import { createAcpEngine } from '../acp-engine.ts';
import type { AcpProfile } from '../acp-profile.ts';

const PROGRAM = fileURLToPath(new URL('./odd-agent.ts', import.meta.url));

/** The adapter over an agent that misbehaves as `mode` says, with little patience. */
export function oddAgentEngine(mode: string, change: Partial<AcpProfile> = {}): AgentEngine {
  const profile: AcpProfile = {
    name: 'odd',
    capabilities: {
      wireApis: ['chat'],
      steering: 'queued',
      resume: true,
      questions: true,
      reasoningEffort: false,
      operator: false,
      experimental: true,
    },
    configPaths: [],
    instructionFiles: [],
    resume: 'resume',
    steer: { by: 'none' },
    launch: () => ({
      argv: [process.execPath, '--disable-warning=ExperimentalWarning', PROGRAM, mode],
      env: {},
      files: {},
      sessionsFolder: 'sessions',
    }),
    ...change,
  };
  return createAcpEngine(profile, {
    startTimeoutMs: mode === 'mute' ? 300 : 20_000,
    requestTimeoutMs: 20_000,
    cancelTimeoutMs: 300,
    joinedTimeoutMs: 300,
  });
}
