import { sql } from 'drizzle-orm';
import type { Deps } from '../deps.ts';
import { selectTimers, type Timers, timersOf } from '../jobs/queue/set-timer.ts';

/** A change of the built-in tracker may carry an earlier time than its commit has. */
const OVERLAP_MS = 10_000;

/** What a run that only its alarm began finds before it looks at anything. */
export type DueWork = {
  timers: Timers;
  /** Whether there is work for a whole run: anything that is under way, waits or is due. */
  hasWork: boolean;
  /** Whether open pull requests and finished workspaces are there to be looked at. */
  hasPullRequests: boolean;
  hasWorkspaces: boolean;
};

type Flags = { work: number; pullRequests: number; workspaces: number };

/**
 * One round trip by indexes alone, whose cost does not grow with what has ended. While anything is live,
 * waits for a runner or a person, or is due, there is work.
 */
export async function probeDueWork({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<DueWork> {
  const nowMs = clock.nowMs();
  const found = db.all<Flags>(sql`select
    (exists (select 1 from attempts where status in ('queued', 'running'))
      or exists (select 1 from issues where status in ('queued', 'retrying', 'running'))
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
