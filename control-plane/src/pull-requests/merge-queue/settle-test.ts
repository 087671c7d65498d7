import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { MergeQueueRow } from '../../db/schema/work/merge-queue.ts';
import type { Deps } from '../../deps.ts';
import { checksOfAttempt } from '../../attempts/checks/queries.ts';
import { isFailing } from '@switchyard/shared/checks/is-failing';
import { commitChange } from '../../observe/events/commit-change.ts';
import type { FeedbackItem } from '../../ports/code-host/code-host.ts';
import { roundsOf } from '../feedback/queries.ts';
import { queueRound } from '../feedback/queue-round.ts';
import { type AfterTest, afterTest } from './decide.ts';
import type { MergeCandidate } from './queries.ts';
import { moveMergeEntry } from './move-merge-entry.ts';

type Tested = MergeCandidate & { entry: MergeQueueRow };
type Returned = Extract<AfterTest, { kind: 'return' }>;

/**
 * Decides what follows a test that ended without a merge. False if a row was modified meanwhile; the
 * next run then decides.
 */
export async function settleTest(
  deps: Pick<Deps, 'db' | 'clock' | 'trackers'>,
  tested: Tested,
  { agent }: Pick<EffectiveConfig, 'agent'>,
): Promise<boolean> {
  const { entry, issue, test } = tested;
  const nowMs = deps.clock.nowMs();
  const ended =
    test === null
      ? null
      : {
          outcome: test.outcome,
          code: test.reason_code,
          cancelKind: test.cancel_kind,
          message: test.error_message,
        };
  const after = afterTest(ended, entry.tries, nowMs);
  if (after.kind === 'return') return returnToAgent(deps, tested, after, agent.maxFeedbackAttempts);
  const { reason, code, tries } = after;
  const place = {
    state: after.kind === 'wait' ? ('waiting' as const) : ('held' as const),
    reason,
    reason_code: code,
    tries,
    not_before_ms: after.kind === 'wait' ? after.notBeforeMs : null,
  };
  const also = moveMergeEntry(deps.db, nowMs, { entry, identifier: issue.identifier }, place);
  return commitChange(deps, { also, nowMs });
}

/** Gives the agent what the test found, as feedback on its pull request. */
async function returnToAgent(
  deps: Pick<Deps, 'db' | 'clock' | 'trackers'>,
  { entry, issue, pullRequest: row }: Tested,
  { code, reason }: Returned,
  maxRounds: number,
): Promise<boolean> {
  const rounds = await roundsOf(deps.db, row.id);
  const started = rounds.filter((round) => round.started).length < maxRounds;
  const place = {
    state: started ? ('returned' as const) : ('held' as const),
    reason,
    reason_code: code,
  };
  const { identifier } = issue;
  const also = moveMergeEntry(deps.db, deps.clock.nowMs(), { entry, identifier }, place);
  const items = await findings(deps.db, { entry, issue }, { code, reason });
  const round = (rounds.at(-1)?.round ?? 0) + 1;
  return queueRound(deps, { row, issue, round, items, started, also });
}

/** The conflict, or each check that failed with the end of its output. */
async function findings(
  db: Deps['db'],
  { entry, issue }: { entry: MergeQueueRow; issue: IssueRow },
  { code, reason }: Pick<Returned, 'code' | 'reason'>,
): Promise<FeedbackItem[]> {
  const attemptId = entry.attempt_id ?? issue.id;
  const common = { url: null, path: null, line: null, atMs: entry.updated_at_ms };
  if (code === 'merge_conflict') {
    const key = `merge:${attemptId}`;
    return [{ key, kind: 'conflict', from: entry.base, text: reason, ...common }];
  }
  const failed = (await checksOfAttempt(db, attemptId)).filter(({ state }) => isFailing(state));
  if (failed.length === 0)
    return [
      { key: `merge:${attemptId}`, kind: 'check', from: entry.base, text: reason, ...common },
    ];
  return failed.map(({ name, output, message }) => ({
    key: `merge:${attemptId}:${name}`,
    kind: 'check' as const,
    from: name,
    text: `On the merge with ${entry.base}: ${message ?? ''}\n${output ?? ''}`,
    ...common,
  }));
}
