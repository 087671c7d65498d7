import { z } from 'zod';
import { AgentSection } from '../sections/agent.ts';
import { AlertsSection } from '../sections/alerts.ts';
import { AuthSection } from '../sections/auth.ts';
import { AutomationsSection } from '../sections/automations.ts';
import { CodehostSection } from '../sections/codehost.ts';
import { CommitSection } from '../sections/commit.ts';
import { EngineSection } from '../sections/engine.ts';
import { HooksSection } from '../sections/hooks.ts';
import { LimitsSection } from '../sections/limits.ts';
import { NotificationsSection } from '../sections/notifications.ts';
import { PollingSection } from '../sections/intake/polling.ts';
import { PricesSection } from '../sections/prices.ts';
import { ReposSection } from '../sections/repos.ts';
import { RetentionSection } from '../sections/retention.ts';
import { TrackerSection } from '../sections/intake/tracker.ts';
import { TriggersSection } from '../sections/intake/triggers.ts';
import { WebhookSection } from '../sections/intake/webhook.ts';
import { whole } from '../bounds/whole.ts';
import { text } from '../bounds/text.ts';

const Prompt = text(200_000).optional();
const WorkspaceSection = z.strictObject({
  root: text(4_096).optional().describe('A hint for runners.').meta({ restart: 'runner' }),
});
const ServerSection = z.strictObject({
  port: whole(0, 65_535).optional().describe('A hint for --port.').meta({ restart: 'service' }),
});

/**
 * The complete configuration in canonical spelling with all defaults; most keys have a file in
 * `sections/`. The accepted keys of file, environment and overlay derive from it, and so does the
 * reference at `/api/v1/config/schema`.
 */
export const ConfigSchema = z
  .strictObject({
    prompt: Prompt.describe('Liquid template of the first prompt; left out: the built-in one.'),
    agent: AgentSection.prefault({}).describe('Agents: caps, retries, timers, budgets.'),
    engine: EngineSection.prefault({}).describe('The agent engine, its provider and sandbox.'),
    polling: PollingSection.prefault({}).describe('How often the tracker is asked.'),
    webhook: WebhookSection.prefault({}).describe('Inbound webhooks.'),
    hooks: HooksSection.prefault({}).describe('Shell scripts around a workspace.'),
    tracker: TrackerSection.prefault({}).describe('The issue tracker.'),
    codehost: CodehostSection.prefault({}).describe('The code host.'),
    repos: ReposSection.default([]).describe('Which repository an issue belongs to.'),
    limits: LimitsSection.prefault({}).describe('Rate limits.'),
    auth: AuthSection.prefault({}).describe('Who is let in beside the holders of tokens.'),
    commit: CommitSection.prefault({}).describe('How work is committed.'),
    notifications: NotificationsSection.prefault({}).describe('Where people are told.'),
    automations: AutomationsSection.default([]).describe('Scheduled work.'),
    alerts: AlertsSection.prefault({}).describe('Alert rules.'),
    triggers: TriggersSection.prefault({}).describe('Triggers of external systems.'),
    retention: RetentionSection.prefault({}).describe(
      'How long growing records are kept. Audit entries are kept for ever.',
    ),
    prices: PricesSection.default({}).describe(
      'US dollars per million tokens, by model. Left out: list prices of the hosted provider, dated; check with yours.',
    ),
    workspace: WorkspaceSection.prefault({}).describe('Where runners keep workspaces.'),
    server: ServerSection.prefault({}).describe('The HTTP server.'),
  })
  .meta({ title: 'Switchyard configuration' });

type ParsedConfig = z.output<typeof ConfigSchema>;

/** The merged configuration with all defaults. Secret references are not resolved. */
export type EffectiveConfig = Omit<ParsedConfig, 'polling'> & { polling: { intervalMs: number } };

/** Fills in the defaults that depend on other keys. */
export function completeConfig(parsed: ParsedConfig): EffectiveConfig {
  const intervalMs = parsed.polling.intervalMs ?? parsed.webhook.pollingBaseMs;
  return { ...parsed, polling: { intervalMs } };
}

/** The configuration with defaults only. */
export function defaultConfig(): EffectiveConfig {
  return completeConfig(ConfigSchema.parse({}));
}
