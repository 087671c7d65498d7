import type { AcpProfile } from '../../acp-profile.ts';
import { launchClaude } from './launch-claude.ts';

/** Tools of the program that are useless here: they need the network, a person or a later date. */
const UNUSED_TOOLS = [
  'WebSearch',
  'WebFetch',
  'CronCreate',
  'CronDelete',
  'CronList',
  'ScheduleWakeup',
  'Monitor',
  'EnterPlanMode',
  'ExitPlanMode',
  'EnterWorktree',
  'ExitWorktree',
  'Workflow',
  'SendMessage',
  'ListAgents',
  'ReportFindings',
];

/** Claude Code, through its adapter for the protocol. */
export const claudeProfile: AcpProfile = {
  name: 'claude',
  capabilities: {
    wireApis: ['messages'],
    steering: 'joins',
    resume: true,
    questions: true,
    reasoningEffort: true,
    operator: false,
    experimental: false,
    scripted: true,
  },
  configPaths: ['.claude/**', '**/.claude/**', '.mcp.json'],
  instructionFiles: ['CLAUDE.md', 'AGENTS.md'],
  launch: launchClaude,
  // The repository's settings are ignored unless allowed; its instructions belong to the settings,
  // so they are passed here.
  sessionMeta: ({ instructions, repositorySettings = false }) => ({
    _meta: {
      ...(repositorySettings || instructions === undefined
        ? {}
        : { systemPrompt: { append: instructions } }),
      claudeCode: {
        options: {
          settingSources: repositorySettings ? ['project'] : [],
          strictMcpConfig: !repositorySettings,
          disallowedTools: UNUSED_TOOLS,
          promptSuggestions: false,
          // Without a title the program would request one from a model.
          title: 'Switchyard',
        },
      },
    },
  }),
  resume: 'resume',
  steer: { by: 'method', method: '_session/steering' },
};
