import type { ConfigStore } from '../../config/config-store.ts';
import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import type { Deps } from '../../deps.ts';
import { LOCAL_TRACKER, type LocalTrackerSettings } from './tracker/local-tracker-deps.ts';

/** The built-in tracker's settings, read on each use. */
export function localTrackerSettings(
  config: ConfigStore,
  service: Deps['service'],
): LocalTrackerSettings {
  return {
    prefix: () => config.latest().tracker.local.prefix,
    roles: () => localRoles(config.latest()),
    treeLimits: () => config.latest().agent.subIssues,
    issueUrl: (identifier) =>
      service.publicOrigin === null
        ? null
        : `${service.publicOrigin}/issues/${encodeURIComponent(identifier)}`,
  };
}

/** The configured roles, if the built-in tracker is the configured one. */
function localRoles({ tracker }: EffectiveConfig) {
  return tracker.kind === LOCAL_TRACKER
    ? { ...tracker.states, active: tracker.activeStates, terminal: tracker.terminalStates }
    : {};
}
