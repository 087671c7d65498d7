import { sql } from 'drizzle-orm';
import type { Deps } from '../deps.ts';
import { selectTimers, type Timers, timersOf } from '../jobs/queue/set-timer.ts';

/** An issue of the built-in tracker may have an earlier time than the commit that stores it. */
const OVERLAP_MS = 10_000;

/**
 * For how long a pull request that may be tested or reviewed again is work; after that it waits for
 * others.
 */
const REPEAT_DUE_MS = 60_000;

/** The result of the probe with which a run begins that only the alarm started. */
export type DueWork = {
  timers: Timers;
  /** Whether a complete run is needed: something is running, waiting or due. */
  hasWork: boolean;
  /** Whether there are open pull requests or finished workspaces to check. */
  hasPullRequests: boolean;
  hasWorkspaces: boolean;
};

type Flags = { work: number; pullRequests: number; workspaces: number };

/**
 * Checks in one read whether anything is live, waits for a runner or a person, or is due. It uses
 * indexes only, so its cost does not grow with ended work.
 */
export async function probeDueWork({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<DueWork> {
  const nowMs = clock.nowMs();
  const found = db.all<Flags>(sql`select
    (exists (select 1 from attempts where status in ('queued', 'running'))
      or exists (select 1 from issues where status in ('queued', 'retrying', 'running'))
      or exists (select 1 from merge_queue where state = 'testing')
      or exists (select 1 from merge_queue where state = 'waiting'
        and not_before_ms between ${nowMs - REPEAT_DUE_MS} and ${nowMs})
      or exists (select 1 from reviews where state = 'running')
      or exists (select 1 from reviews where state = 'waiting'
        and coalesce(not_before_ms, ${nowMs}) between ${nowMs - REPEAT_DUE_MS} and ${nowMs})
      or exists (select 1 from issues where status = 'blocked'
        and parked_kind in ('budget', 'attempt_time'))
      or exists (select 1 from jobs where status = 'pending' and kind <> 'timer'
        and due_at_ms <= ${nowMs})
      or exists (select 1 from requests where state = 'asked')
      or exists (select 1 from webhook_deliveries where status = 'pending'
        and next_try_at_ms <= ${nowMs})
      or exists (select 1 from automation_timers where next_run_at_ms <= ${nowMs})
      or exists (select 1 from automation_runs where status = 'running')
      or exists (select 1 from agent_sessions where state = 'open')
      or exists (select 1 from agent_sessions where state = 'resting' and due_at_ms <= ${nowMs})
      or exists (select 1 from notifications where spread_at_ms is null)
      or coalesce((select max(entry) from audit), 0)
        > coalesce((select max(entry) from audit_chain), 0)
      or exists (select 1 from upstream_pauses)
      or exists (select 1 from local_issues where updated_at_ms >= coalesce((select
        json_extract(payload, '$.activeAtMs') from jobs where key = 'local_look'), 0)
          - ${OVERLAP_MS})) as work,
    exists (select 1 from pull_requests where status = 'open') as pullRequests,
    exists (select 1 from held_workspaces h where not exists (select 1 from attempts a
      where a.tracker = h.tracker and a.issue_id = h.issue_id
        and a.status in ('queued', 'running'))) as workspaces`);
  const [rows, [flags]] = await db.batch([selectTimers(db), found]);
  return {
    timers: timersOf(rows),
    hasWork: flags?.work !== 0,
    hasPullRequests: flags?.pullRequests !== 0,
    hasWorkspaces: flags?.workspaces !== 0,
  };
}
