import { RepoRoute } from '@switchyard/shared/api/repo-route';
import { z } from 'zod';
import { repositoryUrlProblem } from './repository-url.ts';
import { AgentSection } from './sections/agent.ts';
import { EngineSection } from './sections/engine.ts';
import { NotificationsSection } from './sections/notifications.ts';
import { TrackerSection } from './sections/tracker.ts';
import { WebhookSection } from './sections/webhook.ts';

const Script = z.string().max(64_000);
const Days = z.number().positive().max(36_500);
const PerMinute = z.int().min(1).max(1_000_000_000);

const Route = RepoRoute.superRefine((route, context) => {
  const problem = repositoryUrlProblem(route.url);
  if (problem !== null) context.addIssue({ code: 'custom', path: ['url'], message: problem });
  // It becomes an argument of git: an option or a line of its own must not get that far.
  if (/^-|[\p{Cc}\p{Cf}]/u.test(route.default_branch ?? '')) {
    const message = 'must not start with a dash or have control characters';
    context.addIssue({ code: 'custom', path: ['default_branch'], message });
  }
});

const HooksSection = z.strictObject({
  afterCreate: Script.optional().describe('Runs in a new workspace; its failure ends creation.'),
  beforeRun: Script.optional().describe('Runs before an attempt; its failure ends the attempt.'),
  afterRun: Script.optional().describe('Runs after an attempt; its failure is logged.'),
  beforeRemove: Script.optional().describe('Runs before a workspace goes; its failure is logged.'),
  timeoutMs: z.int().min(100).max(3_600_000).default(60_000).describe('Time each hook may take.'),
});

const CommitSection = z.strictObject({
  name: z.string().min(1).max(200).default('Switchyard').describe('Author of commits.'),
  email: z
    .string()
    .min(3)
    .max(320)
    .default('switchyard@localhost')
    .describe('Address of the author.'),
  sign: z
    .boolean()
    .default(false)
    .describe("Whether the runner signs commits with its host's key."),
});

const Price = z.strictObject({
  input: z.number().min(0),
  cachedInput: z.number().min(0).optional(),
  output: z.number().min(0),
});

/**
 * The configuration in canonical spelling, with every default. What the file, the environment and
 * the overlay may say follows from it, and so does the reference at `/api/v1/config/schema`.
 */
export const ConfigSchema = z
  .strictObject({
    prompt: z
      .string()
      .max(200_000)
      .optional()
      .describe('Liquid template of the first prompt; left out: the built-in one.'),
    agent: AgentSection.prefault({}).describe('Agents: caps, retries, timers, budgets.'),
    engine: EngineSection.prefault({}).describe('The agent engine, its provider and sandbox.'),
    polling: z
      .strictObject({
        intervalMs: z
          .int()
          .min(100)
          .max(86_400_000)
          .optional()
          .describe('Polling interval; left out: webhook.pollingBaseMs.'),
      })
      .prefault({})
      .describe('How often the tracker is asked.'),
    webhook: WebhookSection.prefault({}).describe('Inbound webhooks.'),
    hooks: HooksSection.prefault({}).describe('Shell scripts around a workspace.'),
    tracker: TrackerSection.prefault({}).describe('The issue tracker.'),
    codehost: z
      .looseObject({ kind: z.enum(['local', 'github']).optional().describe('The code host.') })
      .prefault({})
      .describe('The code host.'),
    repos: z.array(Route).max(1_000).default([]).describe('Which repository an issue belongs to.'),
    limits: z
      .strictObject({
        apiPerMinute: PerMinute.default(300).describe('API requests per minute and client.'),
        webhooksPerMinute: PerMinute.default(600).describe('Deliveries per minute and client.'),
      })
      .prefault({})
      .describe('Rate limits.'),
    commit: CommitSection.prefault({}).describe('How work is committed.'),
    notifications: NotificationsSection.prefault({}).describe('Where people are told.'),
    automations: z.array(z.looseObject({})).max(500).default([]).describe('Scheduled work.'),
    alerts: z
      .looseObject({ rules: z.array(z.looseObject({})).max(500).default([]) })
      .prefault({})
      .describe('Alert rules.'),
    triggers: z
      .looseObject({
        apiKey: z.string().max(8_192).optional().describe('Key of external triggers.'),
      })
      .prefault({})
      .describe('Triggers of external systems.'),
    retention: z
      .strictObject({
        eventsDays: Days.default(30).describe('Events of attempts and of the service, days.'),
        deliveriesDays: Days.default(14).describe(
          'Finished outgoing and incoming deliveries, days.',
        ),
        historyDays: Days.default(90).describe('Answered questions and start reports, days.'),
        blobsDays: Days.default(30).describe('Diffs and session files, days.'),
      })
      .prefault({})
      .describe('How long growing records are kept. Audit entries are kept for ever.'),
    prices: z
      .record(z.string().max(200), Price)
      .default({})
      .describe('US dollars per million tokens, by model.'),
    workspace: z
      .strictObject({ root: z.string().max(4_096).optional().describe('A hint for runners.') })
      .prefault({})
      .describe('Where runners keep workspaces.'),
    server: z
      .strictObject({ port: z.int().min(0).max(65_535).optional().describe('A hint for --port.') })
      .prefault({})
      .describe('The HTTP server.'),
  })
  .meta({ title: 'Switchyard configuration' });

type ParsedConfig = z.output<typeof ConfigSchema>;

/** The merged configuration: every default filled in. Secret references are not resolved. */
export type EffectiveConfig = Omit<ParsedConfig, 'polling'> & { polling: { intervalMs: number } };

/** Fills in the defaults that depend on other keys. */
export function completeConfig(parsed: ParsedConfig): EffectiveConfig {
  const intervalMs = parsed.polling.intervalMs ?? parsed.webhook.pollingBaseMs;
  return { ...parsed, polling: { intervalMs } };
}

/** What an empty configuration means. */
export function defaultConfig(): EffectiveConfig {
  return completeConfig(ConfigSchema.parse({}));
}
