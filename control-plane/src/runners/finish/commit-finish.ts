import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { and } from 'drizzle-orm';
import type { OutsideScope } from '@switchyard/shared/evidence/scope';
import type { AttemptSpec } from '@switchyard/shared/protocol/attempt-spec';
import { plainLine } from '@switchyard/shared/text/plain-text';
import { type AttemptFacts, endAttemptSteps } from '../../attempts/end-attempt-steps.ts';
import { deliverAttempt } from '../../attempts/rows/deliver-attempt.ts';
import { nothingNewerThan } from '../../attempts/rows/nothing-newer-than.ts';
import type { Statement } from '../../db/database.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { Deps } from '../../deps.ts';
import { type Change, commitChange } from '../../observe/events/commit-change.ts';
import { costOf } from '../../usage/cost-of.ts';
import { recordUsage } from '../../usage/record-usage.ts';
import { isUnchangedSinceRead } from '../session/is-unchanged-since-read.ts';
import type { RunnerSession } from '../session/runner-session.ts';
import type { CollectedFinish } from './collect-finish.ts';
import { plainMessage } from './decide-finish.ts';

type Finish = RunnerMessageOf<'finish'>;

/**
 * Stores the decision about a finish in one batch. Returns false and stores nothing if the attempt,
 * its lease or the session changed since they were read.
 */
export function commitFinish(
  deps: Pick<Deps, 'db' | 'clock'>,
  session: RunnerSession,
  given: { kind: 'deliver' | 'end'; facts: CollectedFinish; message: Finish },
): Promise<boolean> {
  const { kind, facts, message } = given;
  const { attempt, nowMs } = facts;
  const isLate = facts.standing === 'late';
  const onlyIf = and(
    isUnchangedSinceRead(session, attempt),
    isLate ? nothingNewerThan(attempt) : undefined,
  );
  const change: Change =
    kind === 'deliver'
      ? deliverAttempt(deps.db, {
          attempt,
          facts: {
            ...factsOf(attempt, message),
            marker: message.marker,
            ...(isLate ? leaseOf(session, attempt) : {}),
          },
          isPushed: message.delivery?.pushed !== false,
          isLate,
          nowMs,
          onlyIf,
        })
      : {
          also: endAttemptSteps(deps.db, {
            attempt,
            issue: facts.issue,
            ending: facts.ending,
            policy: facts.config.agent,
            nowMs,
            facts: factsOf(attempt, message),
            fence: isLate,
            unpaid: (message.usage?.total ?? 0) === 0,
            onlyIf,
          }).steps,
        };
  const usage = isLate ? lateUsage(deps, facts, message) : [];
  return commitChange(deps, { ...change, also: [...(change.also ?? []), ...usage] });
}

/**
 * Columns of a late finish: the runner that was cut off gets the attempt back under a new epoch,
 * which ends the lease of its successor.
 */
function leaseOf({ runnerId }: RunnerSession, { epoch }: AttemptRow) {
  return {
    runner_id: runnerId,
    epoch: epoch + 1,
    turn_id: null,
    attempt_token_hash: null,
    offer_expires_at_ms: null,
  };
}

/** Records usage from a late finish, whose events are no longer accepted. */
function lateUsage(
  { db }: Pick<Deps, 'db'>,
  { attempt, config, nowMs }: CollectedFinish,
  { usage, epoch }: Finish,
): Statement[] {
  if (usage === undefined) return [];
  const { attempt_id: attemptId, tracker, issue_id: issueId, model } = attempt;
  return recordUsage(db, {
    tracker,
    issueId,
    attemptId,
    model,
    tokens: usage,
    source: { attemptId, epoch },
    cost: costOf(config, attempt, { tokens: usage, byModel: [] }),
    isSumOnly: true,
    nowMs,
  });
}

function factsOf(attempt: AttemptRow, message: Finish): AttemptFacts {
  const { usage, summary, delivery, merged } = message;
  return {
    summary: summary && plainMessage(summary),
    // A runner's total covers its own lease only, and the attempt may have had others before.
    ...(usage !== undefined && usage.total > attempt.tokens.total ? { tokens: usage } : {}),
    ...(attempt.kind === 'check' && merged !== undefined
      ? { base_commit: merged.baseCommit, commit_sha: merged.mergeCommit }
      : {}),
    ...(delivery === undefined
      ? {}
      : {
          branch: delivery.branch,
          base_branch: delivery.baseBranch,
          base_commit: delivery.baseCommit,
          commit_sha: delivery.commitSha,
          diff_stat: delivery.diffStat,
          diff_blob: delivery.diffBlob ?? null,
          outside_scope: reportedOutsideScope(attempt.spec, delivery.outsideScope),
        }),
  };
}

/**
 * The runner's report of files outside the declared scope; null if the repository declares no
 * scope, or the runner reported nothing.
 */
function reportedOutsideScope(
  { scope }: Pick<AttemptSpec, 'scope'>,
  reported: OutsideScope | undefined,
): OutsideScope | null {
  if (scope === undefined || reported === undefined) return null;
  const paths = reported.paths.map((path) => plainLine(path) || '?');
  return { files: Math.max(reported.files, paths.length), paths };
}
