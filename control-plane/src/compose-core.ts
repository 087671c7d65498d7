import { runAutomation } from './people/automations/run-automation.ts';
import type { Deps } from './deps.ts';
import { hideResolved } from './admin/observability/hide-resolved.ts';
import { learningSecrets } from './config/secrets/learning-secrets.ts';
import { createResolveSecret } from './config/secrets/create-resolve-secret.ts';
import { connectIntegrations } from './integrations/connect-integrations.ts';
import { localTrackerSettings } from './integrations/local/local-tracker-settings.ts';
import type { LocalTrackerSettings } from './integrations/local/tracker/local-tracker-deps.ts';
import { createCodehostHandler } from './inbox/create-codehost-handler.ts';
import { createIntegrationHost } from './create-integration-host.ts';
import { createTrackerHandler } from './inbox/create-tracker-handler.ts';

/** The dependencies that a platform provides; the core builds the rest of its `Deps` from them. */
export type PlatformParts = Omit<
  Deps,
  'resolveSecret' | 'trackers' | 'codeHosts' | 'deliveryHandlers' | 'runAutomation'
>;

/** Connects trackers, code hosts and webhooks to the platform's parts. */
export function composeCore(given: PlatformParts): {
  deps: Deps;
  localTracker: LocalTrackerSettings;
} {
  const parts = { ...given, config: learningSecrets(given.config, given) };
  const resolveSecret = hideResolved(createResolveSecret(parts), parts.redactor);
  const host = createIntegrationHost(() => deps);
  const connected = connectIntegrations({ ...parts, resolveSecret, host });
  const trackers = connected.flatMap(({ tracker }) => tracker ?? []);
  const deps: Deps = {
    ...parts,
    resolveSecret,
    trackers: new Map(trackers.map((tracker) => [tracker.kind, tracker])),
    codeHosts: connected.flatMap(({ codeHost }) => codeHost ?? []),
    deliveryHandlers: new Map(),
    runAutomation: (name, caller) => runAutomation(deps, name, caller),
  };
  deps.deliveryHandlers = new Map([
    ['tracker', createTrackerHandler(deps.config, connected)],
    ['codehost', createCodehostHandler(deps, connected)],
  ]);
  return { deps, localTracker: localTrackerSettings(parts.config, parts.service) };
}
