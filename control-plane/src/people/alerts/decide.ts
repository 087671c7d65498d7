export type Finding = 'evaluation' | 'trigger' | 'cooldown';

export type RuleView = {
  /** The measured value; null when there is nothing to measure, which never violates a rule. */
  value: number | null;
  threshold: number;
  comparison: 'at_least' | 'at_most';
  cooldownMs: number;
  lastFiredAtMs: number | null;
  nowMs: number;
};

/** The result of an evaluation: the rule is satisfied, fires, or fired within its cooldown. */
export function judgeRule(rule: RuleView): Finding {
  const { value, threshold } = rule;
  if (value === null) return 'evaluation';
  const bad = rule.comparison === 'at_least' ? value >= threshold : value <= threshold;
  if (!bad) return 'evaluation';
  const { lastFiredAtMs, nowMs, cooldownMs } = rule;
  // A time in the future was recorded under a wrong clock.
  const agoMs = lastFiredAtMs === null ? null : nowMs - lastFiredAtMs;
  const isQuiet = agoMs !== null && agoMs >= 0 && agoMs < cooldownMs;
  return isQuiet ? 'cooldown' : 'trigger';
}

/**
 * Longest time that one history row covers, so that the history shows that a rule is still
 * evaluated.
 */
const ROW_SPAN_MS = 3_600_000;

/** Whether a finding extends the newest row of its rule instead of starting a new one. */
export function addsTo(
  newest: { kind: Finding; firstAtMs: number } | null,
  finding: Finding,
  nowMs: number,
): boolean {
  if (newest === null || finding === 'trigger' || newest.kind !== finding) return false;
  return nowMs >= newest.firstAtMs && nowMs - newest.firstAtMs < ROW_SPAN_MS;
}

/** The number of events of one kind within one minute. */
export type EventCount = {
  type: string;
  outcome: string | null;
  failureKind: string | null;
  minuteMs: number;
  count: number;
};

export type EventCondition = {
  event?: string | undefined;
  outcome?: string | undefined;
  failureKind?: string | undefined;
};

/** The number of matching events for each minute. */
export function countMatching(
  condition: EventCondition,
  counts: readonly EventCount[],
): { minuteMs: number; count: number }[] {
  const byMinute = new Map<number, number>();
  for (const row of counts) {
    if (condition.event === undefined || row.type !== condition.event) continue;
    if (condition.outcome !== undefined && row.outcome !== condition.outcome) continue;
    if (condition.failureKind !== undefined && row.failureKind !== condition.failureKind) continue;
    byMinute.set(row.minuteMs, (byMinute.get(row.minuteMs) ?? 0) + row.count);
  }
  return [...byMinute].map(([minuteMs, count]) => ({ minuteMs, count }));
}
