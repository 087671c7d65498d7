import { z } from 'zod';
import { ConfigSchema } from './config-schema.ts';

/** Example overlays, each valid by itself. */
const EXAMPLES = [
  { agent: { maxConcurrentAgents: 4 }, polling: { intervalMs: 30_000 } },
  {
    engine: {
      model: 'gpt-5.5',
      provider: { baseUrl: 'https://models.example.com/v1', apiKey: '$SECRET:MODEL_KEY' },
    },
  },
  {
    repos: [
      { prefix: 'SY-', url: 'https://git.example.com/team/app.git', default_branch: 'main' },
      { label: 'docs', url: 'file:///srv/git/docs.git' },
    ],
  },
  {
    notifications: {
      channels: [
        { type: 'chat', name: 'ops', webhookUrl: '$SECRET:CHAT_WEBHOOK', verbosity: 'critical' },
      ],
    },
  },
  {
    automations: [
      {
        name: 'dependencies',
        schedule: '0 4 * * 1',
        timeZone: 'Europe/Berlin',
        mode: 'implement',
        title: 'Update dependencies',
        prompt: 'Bring all dependencies up to date and run the tests.',
        labels: ['chore'],
      },
    ],
  },
  {
    alerts: {
      rules: [
        {
          name: 'many failures',
          condition: { event: 'attempt.ended', outcome: 'failed' },
          threshold: 5,
          windowMs: 3_600_000,
          severity: 'critical',
        },
      ],
    },
  },
];

let made: Record<string, unknown> | null = null;

/** The JSON schema of the accepted configuration, in nested form, with examples. */
export function configJsonSchema(): Record<string, unknown> {
  made ??= {
    ...z.toJSONSchema(ConfigSchema, { io: 'input', unrepresentable: 'any' }),
    examples: EXAMPLES,
  };
  return made;
}
