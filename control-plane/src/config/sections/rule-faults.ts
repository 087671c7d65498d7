import { EVENT_TYPES } from '@switchyard/shared/api/event-type';
import type { ErrorDetail } from '../../errors.ts';
import type { AlertRule } from './alerts.ts';

const TYPES: ReadonlySet<string> = new Set(EVENT_TYPES);

/**
 * Rules that count events which never occur and which no rule counted before. Such rules cannot be
 * saved; stored ones, perhaps from another version, stay in force.
 */
export function newRuleFaults(
  before: readonly AlertRule[],
  after: readonly AlertRule[],
): ErrorDetail[] {
  const known = new Set(before.map(({ condition }) => condition.event));
  return after.flatMap(({ condition: { event } }, index) =>
    event === undefined || TYPES.has(event) || known.has(event)
      ? []
      : {
          path: `alerts.rules.${index}.condition.event`,
          message: `${JSON.stringify(event)} is not a type of event, so the rule would never fire: give one of ${EVENT_TYPES.join(', ')}`,
        },
  );
}
