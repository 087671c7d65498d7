import { reviewIsDoneBy } from '../../pull-requests/reviews/move-review.ts';
import { KIND_RULES } from '@switchyard/shared/attempts/kind-rules';
import { isScriptedModel } from '@switchyard/shared/model-providers/scripted-model';
import type { AttemptSpec } from '@switchyard/shared/protocol/attempt-spec';
import { EMPTY_DIGEST } from '@switchyard/shared/protocol/extend-digest';
import { OFFER_TTL_MS } from '@switchyard/shared/protocol/limits';
import { and, eq, sql } from 'drizzle-orm';
import {
  type Failover,
  failoverAudit,
  failoverEvent,
  failoverOf,
} from '../../attempts/engine-choices/failover.ts';
import { attachMessages } from '../../attempts/prompt/undelivered-messages.ts';
import { updateAttempt, insertAttempt } from '../../attempts/rows/update-attempt.ts';
import { claimCanary } from '../../attempts/upstreams/pause-upstream.ts';
import { expectRowsAffected, type Step } from '../../db/commit-steps.ts';
import type { Database } from '../../db/database.ts';
import { swapIssue } from '../../db/rows/update-issue.ts';
import { type AttemptRow, attempts } from '../../db/schema/work/attempts.ts';
import type { Deps } from '../../deps.ts';
import { NO_TOKEN_USAGE } from '../../issues/no-token-usage.ts';
import { leadsNow } from '../../jobs/leadership/leads-now.ts';
import { notifyIssueClaimed } from '../../notifications/notify-issue.ts';
import { appendEvents } from '../../observe/events/append-events.ts';
import { commitChange } from '../../observe/events/commit-change.ts';
import type { OfferFacts } from './collect-offer.ts';
import { mergeIsTestedBy } from '../../pull-requests/merge-queue/move-merge-entry.ts';
import type { Offer } from './offer.ts';
import { holdWorkspace } from '../../runners/workspaces/queries.ts';

type OfferToStore = { offer: Offer; facts: OfferFacts; spec: AttemptSpec };

/**
 * Claims the issue and stores the offer in one batch: a compare-and-swap on the issue's version and
 * the runner's free slots, so that two instances never offer the same issue. False when another
 * change came first.
 */
export function commitOffer(
  deps: Pick<Deps, 'db' | 'clock' | 'service'>,
  toStore: OfferToStore,
): Promise<boolean> {
  const { db } = deps;
  const { offer, facts, spec } = toStore;
  const { issue, waiting, runnerId } = offer;
  const { attemptId, number, workspaceKey: key, nowMs } = facts;
  const failover =
    waiting !== null || facts.otherBefore === null
      ? null
      : failoverOf(facts.otherBefore, { attemptId, spec });
  const { isTry } = KIND_RULES[facts.kind];
  const change = {
    status: 'queued',
    reason: 'offered to a runner',
    reason_code: 'offered',
    current_attempt_id: attemptId,
    ...(isTry ? { on_trial: isScriptedModel(spec.engine.model) } : {}),
    workspace_key: key,
    queued_since_ms: issue.queued_since_ms ?? nowMs,
  } as const;
  const counts = {
    attempt_count: number,
    next_retry_at_ms: null,
    // What is no try of the work counts as no attempt of its budget.
    ...(isTry
      ? { run_count: issue.run_count + 1 }
      : { budget_from_attempts: issue.budget_from_attempts + 1 }),
  };
  return commitChange(deps, {
    ...(failover === null ? {} : { audit: failoverAudit(failover, issue) }),
    swap: swapIssue(
      db,
      issue,
      waiting === null ? { ...change, ...counts } : change,
      and(hasFreeSlot(runnerId), leadsNow(deps)),
    ),
    also: [
      ...(waiting === null
        ? newAttempt(db, toStore, failover)
        : [sameAttempt(db, waiting, toStore)]),
      ...(facts.kind === 'check'
        ? [mergeIsTestedBy(db, issue, attemptId)]
        : [holdWorkspace(db, { runnerId, key, tracker: issue.tracker, issueId: issue.id })]),
      ...(facts.kind === 'review' ? [reviewIsDoneBy(db, issue, attemptId)] : []),
      ...attachMessages(db, facts.messages, attemptId),
      ...offer.canaryOf.map((upstream) =>
        expectRowsAffected(claimCanary(db, { upstream, attemptId, nowMs })),
      ),
    ],
  });
}

/** Offered, leased and running attempts never exceed the runner's slots at commit time. */
function hasFreeSlot(runnerId: string) {
  return sql`exists (select 1 from runners r where r.runner_id = ${runnerId}
    and r.revoked_at_ms is null and not r.draining and r.slots_total > (
      select count(*) from attempts a where a.runner_id = ${runnerId}
      and a.status in ('queued', 'running') and a.released_at_ms is null))`;
}

function newAttempt(
  db: Database,
  { offer, facts, spec }: OfferToStore,
  failover: Failover | null,
): Step[] {
  const { issue } = offer;
  const { attemptId, number, kind, planState, epoch, nowMs } = facts;
  const data = {
    identifier: issue.identifier,
    issueId: issue.id,
    attemptId,
    number,
    status: 'queued',
    reason: 'offered to a runner',
    reasonCode: 'offered',
  };
  return [
    insertAttempt(db, {
      attempt_id: attemptId,
      tracker: issue.tracker,
      issue_id: issue.id,
      identifier: issue.identifier,
      issue_state: issue.state,
      number,
      kind,
      plan_state: planState,
      status: 'queued',
      epoch,
      ...offeredColumns({ offer, facts, spec }),
      failed_over_from: failover?.from.attemptId ?? null,
      repository_url: spec.repository.url,
      tokens: NO_TOKEN_USAGE,
      queued_at_ms: nowMs,
    }),
    ...appendEvents(db, nowMs, [{ type: 'issue.queued', atMs: nowMs, data }]),
    ...(failover === null
      ? []
      : appendEvents(db, nowMs, [failoverEvent(failover, issue, nowMs)], {
          attemptId,
          epoch,
          fromRunnerSeq: null,
        })),
    ...(KIND_RULES[kind].isTry && issue.run_count === 0 && issue.failure_count === 0
      ? notifyIssueClaimed(db, nowMs, issue, facts)
      : []),
  ];
}

function sameAttempt(db: Database, waiting: AttemptRow, toStore: OfferToStore): Step {
  const change = { epoch: toStore.facts.epoch, last_seq: 0, ...offeredColumns(toStore) };
  return expectRowsAffected(updateAttempt(db, waiting, change, eq(attempts.status, 'queued')));
}

/** The columns of an offered attempt: engine, model, branch and specification. */
function offeredColumns({ offer, facts, spec }: OfferToStore) {
  const { engine } = spec;
  const asked = KIND_RULES[facts.kind].hasAgent
    ? {
        engine: engine.name ?? null,
        account: engine.account ?? null,
        model: engine.model,
        reasoning_effort: engine.reasoningEffort ?? null,
      }
    : { engine: null, account: null, model: null, reasoning_effort: null };
  return {
    phase: 'offered' as const,
    runner_id: offer.runnerId,
    offer_expires_at_ms: facts.nowMs + OFFER_TTL_MS,
    digest: EMPTY_DIGEST,
    spec,
    branch: spec.branch ?? null,
    thread_id: facts.threadId,
    ...asked,
  };
}
