import { LOCAL_STATES, type LocalState } from '@switchyard/shared/api/work/local-issue';
import { findState } from '../../../ports/tracker/find-state.ts';
import type { StateRoles } from '../../../ports/tracker/tracker.ts';
import type { LocalTrackerSettings } from './local-tracker-deps.ts';

const DEFAULTS = {
  active: ['Todo', 'In Progress'],
  terminal: ['Done', 'Canceled'],
  started: 'In Progress',
  review: 'In Review',
  blocked: null,
} as const satisfies {
  active: readonly LocalState[];
  terminal: readonly LocalState[];
  started: LocalState;
  review: LocalState;
  blocked: null;
};

/** The roles of the built-in states, with the configured ones applied. */
export function localStateRoles(settings: Pick<LocalTrackerSettings, 'roles'>): StateRoles {
  const configured = settings.roles();
  return {
    active: knownStates(configured.active ?? DEFAULTS.active),
    terminal: knownStates(configured.terminal ?? DEFAULTS.terminal),
    started: knownState(configured.started, DEFAULTS.started),
    review: knownState(configured.review, DEFAULTS.review),
    blocked: knownState(configured.blocked, DEFAULTS.blocked),
  };
}

/** The names that are states of this tracker, each once in canonical spelling. */
export function knownStates(names: readonly string[]): LocalState[] {
  const found = names.map((name) => findState(LOCAL_STATES, name));
  return [...new Set(found.filter((state) => state !== undefined))];
}

/** The state with this name; null and unknown names turn the role off. */
function knownState(name: string | null | undefined, fallback: string | null): string | null {
  if (name === undefined) return fallback;
  return name === null ? null : (findState(LOCAL_STATES, name) ?? null);
}
