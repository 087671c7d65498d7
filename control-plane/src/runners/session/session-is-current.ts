import { type SQL, sql } from 'drizzle-orm';
import type { RunnerSession } from './runner-session.ts';

/** Condition that holds only while this is the runner's newest session and it is not revoked. */
export function sessionIsCurrent(session: RunnerSession): SQL {
  return sql`exists (select 1 from runners where runner_id = ${session.runnerId}
    and session = ${session.session ?? -1} and revoked_at_ms is null)`;
}
