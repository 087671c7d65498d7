import { eq } from 'drizzle-orm';
import type { Statement } from '../../db/database.ts';
import { type IssueRow, issues } from '../../db/schema/work/issues.ts';
import type { Deps } from '../../deps.ts';
import type { Effect } from '../../jobs/queue/effect.ts';
import { JobRefused } from '../../jobs/queue/run-jobs.ts';
import { commitChange } from '../../observe/events/commit-change.ts';
import { issueEvent } from '../rows/issue-event.ts';
import { updateIssue } from '../../db/rows/update-issue.ts';
import { isOneOf } from '../../ports/tracker/find-state.ts';
import { logTransition } from '../rows/log-transition.ts';
import { moveAndSee } from '../../ports/tracker/move-and-see.ts';
import type { SeenMove } from '../../ports/tracker/tracker.ts';

export type Move = Extract<Effect, { kind: 'tracker.move' }>;

/**
 * Records a person's move with what the tracker showed afterwards; the statements in `done`
 * complete the effect in the same batch. `seen` is null when this call did not move the issue.
 */
export async function recordMove(
  deps: Pick<Deps, 'db' | 'clock'>,
  issue: IssueRow,
  { move, seen }: { move: Move; seen: SeenMove | null },
  done: readonly Statement[],
): Promise<void> {
  const { db } = deps;
  const { from, to, reason, caller } = move;
  const nowMs = deps.clock.nowMs();
  const audit = {
    caller,
    operation: 'issue.transition',
    subject: issue.identifier,
    details: { from, to, reason },
  };
  const columns = { state: to, updated_at_ms: seen?.updatedAtMs ?? nowMs };
  const committed = await commitChange(deps, {
    swap: updateIssue(db, issue, columns, eq(issues.state, from)),
    also: [logTransition(db, nowMs, { issue, from, to, reason, actor: caller.actor }), ...done],
    audit,
    events: [issueEvent(issue)],
    nowMs,
  });
  // A sync has already recorded the new state; who made the move is still recorded.
  if (!committed) await commitChange(deps, { also: done, audit });
}

/** Makes and records a move whose original request was cut off. Throws the tracker's error. */
export async function finishMove(
  deps: Pick<Deps, 'db' | 'clock' | 'trackers'>,
  issue: IssueRow,
  move: Move,
): Promise<void> {
  const tracker = deps.trackers.get(issue.tracker);
  if (tracker === undefined) throw new JobRefused('the tracker is gone');
  // If somebody has moved the issue in the meantime, the later move stays.
  const isThere = issue.state === move.from;
  const seen = isThere ? await moveAndSee(tracker, issue.id, move.to) : null;
  // Another person moved the issue first; the next sync records their move.
  if (seen !== null && !isOneOf(seen.state, [move.to])) return;
  await recordMove(deps, issue, { move, seen }, []);
}
