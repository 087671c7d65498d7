import { runAutomation } from './people/automations/run-automation.ts';
import { createGitHubCodeHost } from './integrations/github/code-host/github-code-host.ts';
import { createLocalCodeHost } from './integrations/local/code-host/local-code-host.ts';
import type { EffectiveConfig } from './admin/config/schema/config-schema.ts';
import type { ConfigStore } from './admin/config/config-store.ts';
import type { Deps } from './deps.ts';
import { createGitHubConnections } from './integrations/github/api/github-connections.ts';
import type { Redactor } from './observe/observability/create-redactor.ts';
import { hideResolved } from './observe/observability/hide-resolved.ts';
import type { DeliveryHandler } from './ports.ts';
import { createResolveSecret } from './admin/secrets/create-resolve-secret.ts';
import { linearSettingsOf } from './integrations/linear/linear-settings-of.ts';
import { renewTrackerToken } from './admin/setup/tracker/sign-in-to-tracker.ts';
import { createGitHubTracker } from './integrations/github/tracker/github-tracker.ts';
import {
  GITHUB_TRACKER,
  githubTrackerSettings,
} from './integrations/github/tracker/github-tracker-settings.ts';
import { connectLinear } from './integrations/linear/connect-linear.ts';
import { LINEAR_TRACKER } from './integrations/linear/linear-settings.ts';
import type { LocalTrackerSettings } from './integrations/local/tracker/local-tracker-deps.ts';
import { createLocalTracker } from './integrations/local/tracker/local-tracker.ts';
import { REPORT_TRACKER, reportTracker } from './integrations/report/report-tracker.ts';
import { createCodehostHandler } from './inbox/create-codehost-handler.ts';
import { createTrackerHandler } from './inbox/create-tracker-handler.ts';

/** What a platform brings; the core builds the rest of its `Deps` from it. */
export type PlatformParts = Omit<
  Deps,
  'resolveSecret' | 'trackers' | 'codeHosts' | 'deliveryHandlers' | 'runAutomation'
> & { redactor: Redactor };

/** Connects trackers, code hosts and webhooks to what a platform brings. */
export function composeCore(parts: PlatformParts): {
  deps: Deps;
  localTracker: LocalTrackerSettings;
} {
  const { db, clock, ids, events, config, logger, service } = parts;
  const resolveSecret = hideResolved(createResolveSecret(parts), parts.redactor);
  const localTracker = localTrackerSettings(config, service);
  const linear = connectLinear({
    clock,
    logger,
    settings: {
      ...linearSettingsOf(() => config.latest(), resolveSecret),
      renew: () => renewTrackerToken(deps),
    },
  });
  const github = createGitHubConnections({ config, clock, resolveSecret });
  const githubIssues = createGitHubConnections({
    ...{ config, clock, resolveSecret },
    settingsOf: githubTrackerSettings,
  });
  const deliveryHandlers: Map<'tracker' | 'codehost', DeliveryHandler> = new Map();
  const deps: Deps = {
    ...parts,
    resolveSecret,
    trackers: new Map([
      ['local', createLocalTracker({ db, clock, ids, events, settings: localTracker })],
      [REPORT_TRACKER, reportTracker],
      [LINEAR_TRACKER, linear.tracker],
      [
        GITHUB_TRACKER,
        createGitHubTracker({ latest: () => config.latest(), github: githubIssues, logger }),
      ],
    ]),
    codeHosts: [
      createLocalCodeHost({ db, clock, ids, events, publicOrigin: () => service.publicOrigin }),
      createGitHubCodeHost({ db, clock, ids, events, logger, github }),
    ],
    deliveryHandlers,
    runAutomation: (name, caller) => runAutomation(deps, name, caller),
  };
  deliveryHandlers.set('tracker', createTrackerHandler(deps, linear));
  deliveryHandlers.set('codehost', createCodehostHandler(deps, githubIssues));
  return { deps, localTracker };
}

function localTrackerSettings(config: ConfigStore, service: Deps['service']): LocalTrackerSettings {
  return {
    prefix: () => config.latest().tracker.local.prefix,
    roles: () => localRoles(config.latest()),
    issueUrl: (identifier) =>
      service.publicOrigin === null
        ? null
        : `${service.publicOrigin}/issues/${encodeURIComponent(identifier)}`,
  };
}

/** The configured roles, where they speak of the built-in tracker. */
function localRoles({ tracker }: EffectiveConfig) {
  return tracker.kind === 'local'
    ? { ...tracker.states, active: tracker.activeStates, terminal: tracker.terminalStates }
    : {};
}
