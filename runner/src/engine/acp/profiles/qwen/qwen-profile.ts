import type { AcpProfile } from '../../acp-profile.ts';
import { launchQwen } from './launch-qwen.ts';

/** Qwen Code (`qwen --acp`). Experimental: it passes the contract suite, and no more was tried. */
export const qwenProfile: AcpProfile = {
  name: 'qwen',
  capabilities: {
    wireApis: ['chat'],
    steering: 'queued',
    resume: true,
    questions: false,
    reasoningEffort: false,
    operator: false,
    experimental: true,
  },
  configPaths: ['.qwen/**', '**/.qwen/**'],
  instructionFiles: ['AGENTS.md', 'QWEN.md'],
  launch: launchQwen,
  resume: 'resume',
  // A second prompt would wait for the end of the first.
  steer: { by: 'none' },
  exitCode: exitCodeOf,
};

/** Of a shell command; other tools have none. */
function exitCodeOf(rawOutput: unknown): number | null {
  if (typeof rawOutput !== 'object' || rawOutput === null) return null;
  const { exitCode } = rawOutput as { exitCode?: unknown };
  return typeof exitCode === 'number' && Number.isInteger(exitCode) ? exitCode : null;
}
