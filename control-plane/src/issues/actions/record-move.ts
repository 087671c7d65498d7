import { eq } from 'drizzle-orm';
import type { Statement } from '../../db/database.ts';
import { type IssueRow, issues } from '../../db/schema/work/issues.ts';
import type { Deps } from '../../deps.ts';
import type { Effect } from '../../jobs/queue/effect.ts';
import { JobRefused } from '../../jobs/queue/run-jobs.ts';
import { commitChange } from '../../observe/events/commit-change.ts';
import { issueEvent } from '../rows/issue-event.ts';
import { updateIssue } from '../rows/update-issue.ts';
import { logTransition } from '../tracker/log-transition.ts';

export type Move = Extract<Effect, { kind: 'tracker.move' }>;

/** Records a person's move that the tracker has made; `done` ends the effect in the same batch. */
export async function recordMove(
  deps: Pick<Deps, 'db' | 'clock' | 'events'>,
  issue: IssueRow,
  { from, to, reason, caller }: Move,
  done: readonly Statement[],
): Promise<void> {
  const { db } = deps;
  const nowMs = deps.clock.nowMs();
  const audit = {
    caller,
    operation: 'issue.transition',
    subject: issue.identifier,
    details: { from, to, reason },
  };
  const committed = await commitChange(deps, {
    swap: updateIssue(db, issue, { state: to, updated_at_ms: nowMs }, eq(issues.state, from)),
    also: [logTransition(db, nowMs, { issue, from, to, reason, actor: caller.actor }), ...done],
    audit,
    events: [issueEvent(issue)],
    nowMs,
  });
  // A sync was faster and has logged the move: who made it is still recorded.
  if (!committed) await commitChange(deps, { also: done, audit });
}

/** Does and records a move whose caller's own try was cut off. Throws the tracker's error. */
export async function finishMove(
  deps: Pick<Deps, 'db' | 'clock' | 'events' | 'trackers'>,
  issue: IssueRow,
  move: Move,
): Promise<void> {
  const tracker = deps.trackers.get(issue.tracker);
  if (tracker === undefined) throw new JobRefused('the tracker is gone');
  // Where somebody has moved it on meanwhile, theirs is the later word.
  if (issue.state === move.from) await tracker.transition(issue.id, move.to);
  await recordMove(deps, issue, move, []);
}
