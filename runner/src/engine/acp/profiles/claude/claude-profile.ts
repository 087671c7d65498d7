import type { AcpProfile } from '../../acp-profile.ts';
import { launchClaude } from './launch-claude.ts';

/** Tools of the program that are of no use here: they need the network, a person or a later day. */
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

/** Claude Code, through the adapter that serves it over the protocol. */
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
  // Nothing that a repository says of the program counts unless that is allowed; its instructions
  // are part of the settings, so they are given here.
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
          // Without one the program has a model make it.
          title: 'Switchyard',
        },
      },
    },
  }),
  resume: 'resume',
  steer: { by: 'method', method: '_session/steering' },
};
