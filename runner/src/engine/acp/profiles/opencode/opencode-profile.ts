import type { AcpProfile } from '../../acp-profile.ts';
import { launchOpencode } from './launch-opencode.ts';

/** OpenCode as an agent of the protocol (`opencode acp`). */
export const opencodeProfile: AcpProfile = {
  name: 'opencode',
  capabilities: {
    wireApis: ['responses', 'chat', 'messages', 'gemini'],
    steering: 'joins',
    resume: true,
    questions: false,
    reasoningEffort: true,
    operator: false,
    experimental: false,
    scripted: true,
  },
  configPaths: [
    '.opencode/**',
    '**/.opencode/**',
    'opencode.json',
    'opencode.jsonc',
    '**/opencode.json',
    '**/opencode.jsonc',
  ],
  instructionFiles: ['AGENTS.md', 'CLAUDE.md'],
  launch: launchOpencode,
  resume: 'resume',
  steer: { by: 'prompt' },
  exitCode: exitCodeOf,
};

/** Exit code of a shell command; null for other tools. */
function exitCodeOf(rawOutput: unknown): number | null {
  const metadata = fieldOf(rawOutput, 'metadata');
  const exit = fieldOf(metadata, 'exit');
  return typeof exit === 'number' && Number.isInteger(exit) ? exit : null;
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Record<string, unknown>)[name];
}
