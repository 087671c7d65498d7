import type { TrackerKind } from './tracker-sections.ts';

/** What the core must know of a tracker before it is connected. */
type TrackerFacts = {
  /** The webhook that tells of its issues; null where none does. */
  deliveries: 'tracker' | 'codehost' | null;
  /** Its people have the same logins on pull requests. */
  hasCodeHostLogins: boolean;
};

const FACTS: Readonly<Record<TrackerKind, TrackerFacts>> = {
  local: { deliveries: null, hasCodeHostLogins: false },
  linear: { deliveries: 'tracker', hasCodeHostLogins: false },
  github: { deliveries: 'codehost', hasCodeHostLogins: true },
};

export function trackerFacts(kind: TrackerKind): TrackerFacts {
  return FACTS[kind];
}

/** The tracker of a foreign workflow file that names none. */
export const USUAL_TRACKER: TrackerKind = 'linear';

/** Environment variables that people have anyway, and the setting that each stands for. */
export const USUAL_VARIABLES: Readonly<Record<string, readonly string[]>> = {
  LINEAR_API_KEY: ['tracker', 'linear', 'apiKey'],
};
