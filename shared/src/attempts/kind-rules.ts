import { AttemptKind } from '../api/work/attempt.ts';

type KindRules = {
  /** An agent runs: it needs a model and uses tokens, and how it ends says something about agents. */
  hasAgent: boolean;
  /**
   * It is a try of the issue's own work: it counts against the retries, moves the issue in the
   * tracker, continues its thread, and its end decides how the issue goes on. After any other the
   * issue is as before it.
   */
  isTry: boolean;
  /** Its agent changes nothing: it commits and pushes no work. */
  readsOnly: boolean;
};

/** What attempts of each kind count for. */
export const KIND_RULES: Readonly<Record<AttemptKind, KindRules>> = {
  work: { hasAgent: true, isTry: true, readsOnly: false },
  plan: { hasAgent: true, isTry: true, readsOnly: true },
  review: { hasAgent: true, isTry: false, readsOnly: true },
  check: { hasAgent: false, isTry: false, readsOnly: false },
};

/** The kinds for which a rule holds. */
export function kindsThat(rule: keyof KindRules): AttemptKind[] {
  return AttemptKind.options.filter((kind) => KIND_RULES[kind][rule]);
}
