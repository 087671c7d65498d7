import type { TrackerKind } from './tracker-sections.ts';

/** What the core must know of a tracker before it connects to it. */
type TrackerFacts = {
  /** The webhook that reports the tracker's issues; null when there is none. */
  deliveries: 'tracker' | 'codehost' | null;
  /** People have the same logins on the tracker and on pull requests. */
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

/** The tracker assumed for another program's workflow file that names none. */
export const USUAL_TRACKER: TrackerKind = 'linear';

/** Commonly used environment variables, and the setting that each stands for. */
export const USUAL_VARIABLES: Readonly<Record<string, readonly string[]>> = {
  LINEAR_API_KEY: ['tracker', 'linear', 'apiKey'],
};
