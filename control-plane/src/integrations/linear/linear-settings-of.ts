import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import { type ResolveSecret, secretValue } from '../../config/resolve-secret.ts';
import { LINEAR_TRACKER, type LinearSettings } from './linear-settings.ts';

const ENDPOINT = 'https://api.linear.app/graphql';

/** Linear's settings out of the configuration as it is at each use: changes need no restart. */
export function linearSettingsOf(
  latest: () => Pick<EffectiveConfig, 'tracker'>,
  resolveSecret: ResolveSecret,
): LinearSettings {
  return {
    endpoint: () => latest().tracker.linear?.endpoint ?? ENDPOINT,
    credential: () => secretValue(latest().tracker.linear?.apiKey, resolveSecret),
    roles: () => {
      const { kind, activeStates, terminalStates, states } = latest().tracker;
      // Nothing of a tracker that is no longer asked is begun; what runs goes on.
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
