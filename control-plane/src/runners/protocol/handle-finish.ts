import { and, type SQL } from 'drizzle-orm';
import { withoutStatusLine } from '@switchyard/shared/engine/status-line';
import type { ControlPlaneMessage, RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { codeOfFailure } from '@switchyard/shared/reasons/code-of-failure';
import { plainText } from '@switchyard/shared/text/plain-text';
import { type Change, commitChange } from '../../observe/events/commit-change.ts';
import type { Step } from '../../db/commit-steps.ts';
import { cancelledEnding, type Ending } from '../../attempts/decide.ts';
import { checksFailed } from '../../attempts/checks/checks-failed.ts';
import { checksFailedWords } from '../../attempts/checks/decide.ts';
import { toldOutsideScope } from '../../attempts/evidence/told-outside-scope.ts';
import { countRun } from '../../attempts/count-run.ts';
import { deliverAttempt } from '../../attempts/rows/deliver-attempt.ts';
import { type AttemptFacts, endAttemptSteps } from '../../attempts/end-attempt-steps.ts';
import { MAX_RESET_WAIT_MS } from '../../attempts/upstreams/pause-upstream.ts';
import { mayRunElsewhere } from '../failover/may-run-elsewhere.ts';
import { nextChoice } from '../failover/next-choice.ts';
import { judgeUpstreamFailure } from '../../attempts/judge-upstream-failure.ts';
import { attemptWithIssue } from '../../attempts/queries.ts';
import { nothingNewerThan } from '../../attempts/rows/nothing-newer.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { Deps } from '../../deps.ts';
import { isOwnBranch, OWN_BRANCH_PREFIX } from '@switchyard/shared/protocol/is-own-branch';
import { isOwnBlob } from '../../attempts/identity/attempt-blob-key.ts';
import { costOf } from '../../usage/cost-of.ts';
import { recordUsage } from '../../usage/record-usage.ts';
import type { Statement } from '../../db/database.ts';
import { asRead } from '../session/as-read.ts';
import { refuseClaim } from '../session/refuse-claim.ts';
import { finalError, type Replies, type RunnerSession } from '../session/session.ts';

type Finish = RunnerMessageOf<'finish'>;

/**
 * The runner's last word on an attempt. Accepted only when every event is stored and unchanged;
 * finished work leaves the attempt `delivering` until its pull request is open. Repeating it gets
 * the same answer.
 */
export async function handleFinish(
  deps: Deps,
  session: RunnerSession,
  message: Finish,
): Promise<Replies> {
  const ref = { attemptId: message.attemptId, epoch: message.epoch };
  const pair = await attemptWithIssue(deps.db, message.attemptId);
  const mine =
    pair !== null &&
    pair.attempt.epoch === message.epoch &&
    pair.attempt.runner_id === session.runnerId;
  if (pair !== null && !mine && wasTakenLate(pair.attempt, session, message))
    return [{ type: 'finished', ...ref }];
  const isLate = pair !== null && !mine && tellsLate(pair.attempt, session, message);
  if (pair === null || !(mine || isLate)) return [await refuseClaim(deps, session, message)];
  const { attempt, issue } = pair;
  if (mine) {
    if (attempt.released_at_ms !== null) return [{ type: 'finished', ...ref }];
    if (attempt.status !== 'running') return [await refuseClaim(deps, session, message)];
    const refused = refuseStream(attempt, message);
    if (refused !== null) return [refused];
  }
  const problem = problemOfDelivery(message);
  if (problem !== null) return [finalError('INVALID', problem, { attemptId: ref.attemptId })];
  const failed = delivers(attempt, message) ? await failedOf(deps, attempt, message) : null;
  // Another runner is at work on it: what failed here is a loss as any other.
  if (isLate && failed?.length && attempt.status === 'running')
    return [await refuseClaim(deps, session, message)];
  const told = failed === null || failed.length === 0 ? message : asRefused(message, failed);
  const end =
    failed?.length === 0
      ? null
      : await endingOf(deps, session, { attempt, issue, message: told, isLate });
  const change =
    end === null ? delivering(deps, session, { attempt, message, isLate }) : { also: end.steps };
  const usage = isLate ? await lateUsage(deps, attempt, message) : [];
  if (!(await commitChange(deps, { ...change, also: [...(change.also ?? []), ...usage] }))) {
    // A stop is asked for once: judged by what is known now, this ends.
    const isNew = attempt.cancel_requested_at_ms === null && (await isCancelled(deps, attempt));
    if (isNew) return handleFinish(deps, session, message);
    return [await refuseClaim(deps, session, message)];
  }
  if (end !== null) countRun(deps.metrics, attempt, end.ending.outcome);
  deps.wake();
  return [{ type: 'finished', ...ref }];
}

/** Every event of the lease must be stored, unchanged; null when it is so. */
function refuseStream(attempt: AttemptRow, message: Finish): ControlPlaneMessage | null {
  const { attemptId, epoch, finalSeq, digest } = message;
  if (attempt.last_seq < finalSeq) return { type: 'ack', attemptId, epoch, upto: attempt.last_seq };
  if (attempt.last_seq === finalSeq && attempt.digest === digest) return null;
  return finalError('DIGEST', 'the stored events are not those the runner sent', { attemptId });
}

/**
 * A runner that was cut off for longer than its lease tells how the attempt ended: what was paid for
 * is not done again. It counts until the attempt was granted anew, and finished work until it is
 * delivered by another; `nothingNewerThan` says what else makes it of no use. What failed meanwhile is
 * a loss as any other.
 */
function tellsLate(attempt: AttemptRow, session: RunnerSession, message: Finish): boolean {
  const { status, phase } = attempt;
  if (!isOfFormer(attempt, session, message)) return false;
  if (message.outcome !== 'completed' && message.delivery === undefined) return false;
  if (attempt.cancel_requested_at_ms !== null || attempt.released_at_ms !== null) return false;
  if (status === 'queued') return true;
  return status === 'running' && phase !== 'delivering' && delivers(attempt, message);
}

/** The same was told before, and its answer was lost. */
function wasTakenLate(attempt: AttemptRow, session: RunnerSession, message: Finish): boolean {
  const { runner_id: runnerId, released_at_ms: releasedAtMs } = attempt;
  const isOver = runnerId === session.runnerId && releasedAtMs !== null;
  return isOver && isOfFormer(attempt, session, message);
}

function isOfFormer(attempt: AttemptRow, session: RunnerSession, { epoch }: Finish): boolean {
  const { former_runner_id: runnerId, former_epoch: formerEpoch } = attempt;
  return runnerId === session.runnerId && formerEpoch === epoch;
}

/** What was used and could not be told in events any more. */
async function lateUsage(
  { db, config, clock }: Deps,
  attempt: AttemptRow,
  { usage, epoch }: Finish,
): Promise<Statement[]> {
  if (usage === undefined) return [];
  const { attempt_id: attemptId, tracker, issue_id: issueId, model } = attempt;
  return recordUsage(db, {
    ...{ tracker, issueId, attemptId, model, tokens: usage },
    source: { attemptId, epoch },
    cost: costOf(await config.load(), attempt, { tokens: usage, byModel: [] }),
    isSumOnly: true,
    nowMs: clock.nowMs(),
  });
}

/** What must hold still when the end is written. */
function unchanged(session: RunnerSession, attempt: AttemptRow, isLate: boolean): SQL | undefined {
  return and(asRead(session, attempt), isLate ? nothingNewerThan(attempt) : undefined);
}

async function isCancelled(
  { db }: Deps,
  { attempt_id: attemptId, epoch }: AttemptRow,
): Promise<boolean> {
  const pair = await attemptWithIssue(db, attemptId);
  return pair?.attempt.epoch === epoch && pair.attempt.cancel_requested_at_ms !== null;
}

/** Why a delivery cannot be one of this attempt's; null when it can. */
function problemOfDelivery({ attemptId, delivery }: Finish): string | null {
  if (delivery === undefined) return null;
  if (!isOwnBranch(delivery.branch)) {
    return `finish: only branches under ${OWN_BRANCH_PREFIX} are delivered`;
  }
  const isOwn = isOwnBlob(delivery.diffBlob, attemptId);
  return isOwn ? null : 'finish: the diff is no upload of this attempt';
}

/** An attempt that only reads delivers nothing, whatever its runner says. */
function delivers(attempt: AttemptRow, { outcome, delivery }: Finish): boolean {
  if (attempt.spec.readOnly === true || stopWins(attempt)) return false;
  return outcome === 'completed' && delivery !== undefined;
}

/** Names of the declared checks that failed under the lease that is told of, or on what it left. */
async function failedOf(deps: Deps, attempt: AttemptRow, message: Finish): Promise<string[]> {
  const { epoch, delivery } = message;
  return checksFailed(deps.db, attempt, { epoch, commitSha: delivery?.commitSha ?? null });
}

/** What its runner should have said: work that failed a check is not ready, whatever it says. */
function asRefused(message: Finish, failed: readonly string[]): Finish {
  return {
    ...message,
    ...{ outcome: 'failed', failureKind: 'delivery_refused', reasonCode: 'checks_failed' },
    message: checksFailedWords(failed),
  };
}

/** A person's or the tracker's stop holds even against work that was just finished. */
function stopWins(attempt: AttemptRow): boolean {
  return attempt.cancel_kind === 'person' || attempt.cancel_kind === 'tracker';
}

/** A provider's reset time as a runner tells it; nobody waits longer than this for one. */
function boundedReset(resetAtMs: number | undefined, nowMs: number): number | null {
  return resetAtMs === undefined
    ? null
    : Math.floor(Math.min(resetAtMs, nowMs + MAX_RESET_WAIT_MS));
}

function factsOf(attempt: AttemptRow, message: Finish): AttemptFacts {
  const { usage } = message;
  return {
    summary: message.summary && withoutStatusLine(plainText(message.summary)),
    // A runner knows its own lease only; the attempt may have had others before.
    ...(usage !== undefined && usage.total > attempt.tokens.total ? { tokens: usage } : {}),
    ...(message.delivery === undefined
      ? {}
      : {
          branch: message.delivery.branch,
          base_branch: message.delivery.baseBranch,
          base_commit: message.delivery.baseCommit,
          commit_sha: message.delivery.commitSha,
          diff_stat: message.delivery.diffStat,
          diff_blob: message.delivery.diffBlob ?? null,
          outside_scope: toldOutsideScope(attempt.spec, message.delivery.outsideScope),
        }),
  };
}

async function endingOf(
  deps: Deps,
  session: RunnerSession,
  given: { attempt: AttemptRow; issue: IssueRow; message: Finish; isLate: boolean },
): Promise<{ steps: Step[]; ending: Ending }> {
  const { attempt, issue, message, isLate } = given;
  const config = await deps.config.load();
  // However its agent ended, what was asked to stop does not go on by itself.
  const stopped =
    attempt.cancel_requested_at_ms !== null &&
    (message.delivery?.pushed === false ||
      !(message.outcome === 'completed' && message.marker !== null));
  const said = message.message === undefined ? null : withoutStatusLine(plainText(message.message));
  const failureKind = message.failureKind ?? (message.outcome === 'failed' ? 'agent_error' : null);
  const told: Ending =
    message.outcome === 'cancelled' || stopped
      ? cancelledEnding(attempt.cancel_reason ?? said, attempt.cancel_kind, attempt.reason_code)
      : {
          outcome: message.outcome,
          failureKind,
          code:
            failureKind === null
              ? null
              : codeOfFailure(failureKind, message.upstream, message.reasonCode),
          ...(message.upstream === undefined ? {} : { upstream: message.upstream }),
          message: said,
          marker: message.marker,
          words: message.summary && withoutStatusLine(plainText(message.summary)),
          readOnly: attempt.spec.readOnly === true,
          resetAtMs: boundedReset(message.resetAtMs, deps.clock.nowMs()),
        };
  const judged = await judgeUpstreamFailure(deps.db, attempt, told);
  const next = await nextChoice(deps, { attempt, issue, ending: judged, config });
  const mayElsewhere = await mayRunElsewhere(deps, { attempt, issue, ending: judged, config });
  const ending = { ...judged, ...(next === null ? {} : { next }), mayElsewhere };
  const { steps } = endAttemptSteps(deps.db, {
    attempt,
    issue,
    ending,
    policy: config.agent,
    nowMs: deps.clock.nowMs(),
    facts: factsOf(attempt, message),
    fence: isLate,
    unpaid: (message.usage?.total ?? 0) === 0,
    onlyIf: unchanged(session, attempt, isLate),
  });
  return { steps, ending };
}

function delivering(
  { db, clock }: Deps,
  session: RunnerSession,
  given: { attempt: AttemptRow; message: Finish; isLate: boolean },
): Change {
  const { attempt, message, isLate } = given;
  const lease = {
    ...{ runner_id: session.runnerId, epoch: attempt.epoch + 1 },
    // Those of the lease that another has by now.
    ...{ turn_id: null, attempt_token_hash: null, offer_expires_at_ms: null },
  };
  return deliverAttempt(db, {
    attempt,
    facts: { ...factsOf(attempt, message), marker: message.marker, ...(isLate ? lease : {}) },
    isPushed: message.delivery?.pushed !== false,
    isLate,
    nowMs: clock.nowMs(),
    onlyIf: unchanged(session, attempt, isLate),
  });
}
