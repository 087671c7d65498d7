import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import { type ResolveSecret, secretValue } from '../../config/resolve-secret.ts';
import { LINEAR_TRACKER, type LinearSettings } from './linear-settings.ts';

const ENDPOINT = 'https://api.linear.app/graphql';

/**
 * Linear's settings from the present configuration, read on each use, so that changes need no
 * restart.
 */
export function linearSettingsOf(
  latest: () => Pick<EffectiveConfig, 'tracker'>,
  resolveSecret: ResolveSecret,
): LinearSettings {
  return {
    endpoint: () => latest().tracker.linear?.endpoint ?? ENDPOINT,
    credential: () => secretValue(latest().tracker.linear?.apiKey, resolveSecret),
    roles: () => {
      const { kind, activeStates, terminalStates, states } = latest().tracker;
      // Nothing new starts from a tracker that is no longer configured; running work continues.
      const active = kind === LINEAR_TRACKER ? activeStates : [];
      return { ...states, active, terminal: terminalStates };
    },
    scope: () => {
      const { linear, assignee, allowedAuthors, allowedBots } = latest().tracker;
      const { projectSlug, team } = linear ?? {};
      return { projectSlug, team, assignee, allowedAuthors, allowedBots };
    },
  };
}
