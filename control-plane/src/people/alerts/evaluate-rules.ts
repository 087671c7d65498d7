import { eq, inArray, sql } from 'drizzle-orm';
import type { AlertRule } from '../../config/sections/alerts.ts';
import type { Statement } from '../../db/database.ts';
import {
  alertCounts,
  alertHistory,
  type AlertHistoryRow,
  alertRules,
  type AlertRuleRow,
} from '../../db/schema/people/alerts.ts';
import type { Deps } from '../../deps.ts';
import { appendEvents } from '../../observe/events/append-events.ts';
import { notify } from '../../notifications/notify.ts';
import { alertMessage } from './alert-message.ts';
import { countEvents } from './count-events.ts';
import { addsTo, type Finding, judgeRule } from './decide.ts';
import { measure, unpricedTokens } from './measure.ts';

type EvaluateDeps = Pick<Deps, 'db' | 'clock' | 'ids' | 'connections'>;
type Known = { row: AlertRuleRow | undefined; newest: AlertHistoryRow | undefined };

/**
 * Evaluates every rule once. True when events are left to count, so that the next evaluation is
 * soon.
 */
export async function evaluateRules(
  deps: EvaluateDeps,
  rules: readonly AlertRule[],
): Promise<boolean> {
  const { db } = deps;
  const [rows, newest] = await db.batch([
    db.select().from(alertRules),
    db
      .select()
      .from(alertHistory)
      .where(sql`${alertHistory.history_id} in (select history_id from alert_rules)`),
  ]);
  const known = (name: string): Known => ({
    row: rows.find((row) => row.name === name),
    newest: newest.find((row) => row.rule_name === name),
  });
  await forgetCounts(deps, rules, rows);
  const more = await countEvents(db, rules);
  for (const rule of rules) await evaluateRule(deps, rule, known(rule.name));
  return more;
}

/** Deletes the counts of changed and removed rules: counts belong to one condition. */
async function forgetCounts(
  { db }: EvaluateDeps,
  rules: readonly AlertRule[],
  rows: readonly AlertRuleRow[],
): Promise<void> {
  const stale = rows
    .filter((row) => {
      const rule = rules.find((candidate) => candidate.name === row.name);
      return rule === undefined || conditionKey(rule) !== row.condition;
    })
    .map((row) => row.name);
  if (stale.length === 0) return;
  await db.batch([
    db.delete(alertCounts).where(inArray(alertCounts.rule_name, stale)),
    // The time of the last firing is kept, so that a rule that returns keeps its cooldown.
    db.update(alertRules).set({ condition: '' }).where(inArray(alertRules.name, stale)),
  ]);
}

function conditionKey({ condition }: AlertRule): string {
  return JSON.stringify([
    condition.event ?? null,
    condition.outcome ?? null,
    condition.failureKind ?? null,
    condition.gauge ?? null,
  ]);
}

async function evaluateRule(deps: EvaluateDeps, rule: AlertRule, known: Known): Promise<void> {
  const { db } = deps;
  const nowMs = deps.clock.nowMs();
  const value = await measure(deps, rule);
  const lastFiredAtMs = known.row?.last_fired_at_ms ?? null;
  const finding = judgeRule({
    value,
    threshold: rule.threshold,
    comparison: rule.condition.comparison,
    cooldownMs: rule.cooldownMs,
    lastFiredAtMs,
    nowMs,
  });
  const message = alertMessage(rule, value, await unpricedTokens(deps, rule));
  const { historyId, statement } = history(deps, { rule, known, finding, value, message, nowMs });
  const state = {
    condition: conditionKey(rule),
    last_fired_at_ms: finding === 'trigger' ? nowMs : lastFiredAtMs,
    history_id: historyId,
  };
  await db.batch([
    db
      .insert(alertRules)
      .values({ name: rule.name, ...state })
      .onConflictDoUpdate({ target: alertRules.name, set: state }),
    statement,
    ...(finding === 'trigger' ? fire(deps, rule, { historyId, value, message, nowMs }) : []),
  ]);
}

type Found = {
  rule: AlertRule;
  known: Known;
  finding: Finding;
  value: number | null;
  message: string;
  nowMs: number;
};

/** The history row for a finding: a new one, or the newest with its count raised. */
function history(
  { db, ids }: EvaluateDeps,
  { rule, known, finding, value, message, nowMs }: Found,
): { historyId: string; statement: Statement } {
  const { newest } = known;
  const last = newest === undefined ? null : { kind: newest.kind, firstAtMs: newest.first_at_ms };
  if (newest !== undefined && addsTo(last, finding, nowMs)) {
    const statement = db
      .update(alertHistory)
      .set({
        value,
        message,
        threshold: rule.threshold,
        evaluations: sql`${alertHistory.evaluations} + 1`,
        last_at_ms: nowMs,
      })
      .where(eq(alertHistory.history_id, newest.history_id));
    return { historyId: newest.history_id, statement };
  }
  const historyId = ids.next('alh');
  const statement = db.insert(alertHistory).values({
    history_id: historyId,
    rule_name: rule.name,
    kind: finding,
    severity: rule.severity,
    value,
    threshold: rule.threshold,
    evaluations: 1,
    message,
    first_at_ms: nowMs,
    last_at_ms: nowMs,
  });
  return { historyId, statement };
}

function fire(
  { db }: EvaluateDeps,
  rule: AlertRule,
  found: { historyId: string; value: number | null; message: string; nowMs: number },
): Statement[] {
  const { historyId, value, message, nowMs } = found;
  const facts = { ruleName: rule.name, severity: rule.severity, value, threshold: rule.threshold };
  return [
    ...appendEvents(db, nowMs, [
      { type: 'alert.fired', atMs: nowMs, data: { historyId, ...facts, message } },
    ]),
    ...notify(db, nowMs, {
      id: `ntf_${historyId.replace(/^alh_/, '')}`,
      type: 'alert_fired',
      message: `${rule.name}: ${message}`,
      issue: null,
      attempt: null,
      metadata: facts,
      ...(rule.channels === undefined ? {} : { channels: rule.channels }),
    }),
  ];
}
