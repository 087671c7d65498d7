import {
  AGENT_STATUSES,
  HELD_STATUSES,
  PERSON_CODES,
  STOPPED_STATUSES,
} from '@switchyard/shared/reasons/needs-of';
import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import { attempts } from '../../db/schema/work/attempts.ts';
import { issues } from '../../db/schema/work/issues.ts';
import { pullRequests } from '../../db/schema/work/pull-requests.ts';
import { requests } from '../../db/schema/work/requests.ts';
import { isInSight } from '../../ports/tracker/out-of-sight.ts';
import { normaliseState } from '../../ports/tracker/find-state.ts';
import type { Tracker } from '../../ports/tracker/tracker.ts';

export type Trackers = ReadonlyMap<string, Pick<Tracker, 'stateRoles'>>;

/**
 * Weight of a need's rank: larger than any time in milliseconds, so that one number sorts by need,
 * then by time.
 */
const RANK = 100_000_000_000_000;

const row = sql`${issues}.rowid as issue_row`;
const newestFirst = (rank: number) => sql`${rank * RANK} - ${issues.updated_at_ms} as place`;
const ofAttempt = sql`${issues.tracker} = ${attempts.tracker} and ${issues.id} = ${attempts.issue_id}`;
const isOpen = sql`${pullRequests.status} = 'open'`;
const isNotWithAgent = sql`${issues.status} not in (${sql.join(
  AGENT_STATUSES.map((status) => sql`${status}`),
  sql`, `,
)})`;

/**
 * SQL condition: the issue is in a state that ends work in its tracker. It is evaluated on each
 * read and not stored, because the state and the configured meaning of states can change back.
 */
export function isEnded(trackers: Trackers): SQL<number> {
  const ends = [...trackers].map(([kind, tracker]) => {
    const { terminal } = tracker.stateRoles();
    // SQLite's `lower` folds ASCII letters only, so the configured spelling is compared as well.
    const isOne = or(
      inArray(issues.state, terminal),
      inArray(sql`lower(trim(${issues.state}))`, terminal.map(normaliseState)),
    );
    return and(eq(issues.tracker, kind), isOne);
  });
  return sql<number>`(${or(...ends) ?? sql`0`})`;
}

/**
 * SQL query of the issues that need a person: a row with `issue_row` and `place` in the list for
 * each need. It is `needsOf` in SQL; each part uses an index.
 */
export const needsPerson = (trackers: Trackers): SQL => sql`
  select ${row}, ${requests.asked_at_ms} as place from ${requests}
    join ${attempts} on ${attempts.attempt_id} = ${requests.attempt_id} join ${issues} on ${ofAttempt}
    where ${requests.state} = 'asked' and ${isInSight}
  union all
  select ${row}, ${newestFirst(1)} from ${issues}
    where ${inArray(issues.status, [...STOPPED_STATUSES])} and not ${isEnded(trackers)} and ${isInSight}
  union all
  select ${row}, ${newestFirst(2)} from ${issues}
    where ${issues.reason_code} is not null and ${inArray(issues.reason_code, [...PERSON_CODES])}
    and ${inArray(issues.status, [...HELD_STATUSES])} and not ${isEnded(trackers)} and ${isInSight}
  union all
  select ${row}, ${newestFirst(3)} from ${pullRequests}
    join ${attempts} on ${attempts.attempt_id} = ${pullRequests.attempt_id}
    join ${issues} on ${ofAttempt} where ${isOpen} and ${isNotWithAgent} and ${isInSight}
  union all
  select ${row}, ${newestFirst(3)} from ${pullRequests}
    join ${issues} on ${issues.identifier} = ${pullRequests.issue_identifier}
    where ${isOpen} and ${isNotWithAgent} and ${isInSight} and not exists (select 1 from ${attempts}
      where ${attempts.attempt_id} = ${pullRequests.attempt_id})`;
