export type Finding = 'evaluation' | 'trigger' | 'cooldown';

export type RuleView = {
  /** Null when there is nothing to measure, which is never bad. */
  value: number | null;
  threshold: number;
  comparison: 'at_least' | 'at_most';
  cooldownMs: number;
  lastFiredAtMs: number | null;
  nowMs: number;
};

/** What an evaluation comes to: all is well, it fires, or it fired shortly before. */
export function judgeRule(rule: RuleView): Finding {
  const { value, threshold } = rule;
  if (value === null) return 'evaluation';
  const bad = rule.comparison === 'at_least' ? value >= threshold : value <= threshold;
  if (!bad) return 'evaluation';
  const { lastFiredAtMs, nowMs, cooldownMs } = rule;
  // One that is yet to come was noted by a clock that was ahead.
  const agoMs = lastFiredAtMs === null ? null : nowMs - lastFiredAtMs;
  const isQuiet = agoMs !== null && agoMs >= 0 && agoMs < cooldownMs;
  return isQuiet ? 'cooldown' : 'trigger';
}

/** A row stands for at most this time, so that the history also shows that a rule is alive. */
const ROW_SPAN_MS = 3_600_000;

/** Whether a finding is added to the newest row of its rule instead of being one of its own. */
export function addsTo(
  newest: { kind: Finding; firstAtMs: number } | null,
  finding: Finding,
  nowMs: number,
): boolean {
  if (newest === null || finding === 'trigger' || newest.kind !== finding) return false;
  return nowMs >= newest.firstAtMs && nowMs - newest.firstAtMs < ROW_SPAN_MS;
}

/** Events of one kind within one minute. */
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

/** Matching events per minute. */
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
