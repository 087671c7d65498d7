import { isRecord } from '../../format/text-of.ts';

/** The parts of an alert rule that this page shows. */
export type ShownRule = {
  name: string;
  enabled: boolean;
  severity: string;
  /** The rule's condition, as text. */
  condition: string;
};

/** The alert rules in an effective configuration; entries that are no rule are left out. */
export function rulesOf(config: Record<string, unknown>): ShownRule[] {
  const alerts = config['alerts'];
  const rules: unknown = isRecord(alerts) ? alerts['rules'] : [];
  return Array.isArray(rules) ? rules.flatMap((rule: unknown) => shownRule(rule) ?? []) : [];
}

function shownRule(rule: unknown): ShownRule | null {
  if (!isRecord(rule) || typeof rule['name'] !== 'string') return null;
  return {
    name: rule['name'],
    enabled: rule['enabled'] !== false,
    severity: typeof rule['severity'] === 'string' ? rule['severity'] : 'info',
    condition: conditionText(rule),
  };
}

function conditionText(rule: Record<string, unknown>): string {
  const condition = isRecord(rule['condition']) ? rule['condition'] : {};
  const side = condition['comparison'] === 'at_most' ? 'at most' : 'at least';
  const threshold = String(rule['threshold']);
  const event = condition['event'];
  if (typeof event !== 'string') {
    return `${String(condition['gauge']).replaceAll('_', ' ')} is ${side} ${threshold}`;
  }
  const narrowed = ['outcome', 'failureKind'].flatMap((key) =>
    typeof condition[key] === 'string' ? [condition[key].replaceAll('_', ' ')] : [],
  );
  const which = narrowed.length === 0 ? '' : ` (${narrowed.join(', ')})`;
  const minutes = Math.round(Number(rule['windowMs'] ?? 0) / 60_000);
  return `${side} ${threshold} × ${event}${which} within ${minutes} min`;
}
