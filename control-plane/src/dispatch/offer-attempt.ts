import { and, eq, sql } from 'drizzle-orm';
import { isScriptedModel } from '@switchyard/shared/engine/scripted-model';
import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type { AttemptSpec } from '@switchyard/shared/protocol/attempt-spec';
import { EMPTY_DIGEST } from '@switchyard/shared/protocol/extend-digest';
import { OFFER_TTL_MS } from '@switchyard/shared/protocol/limits';
import { swapIssue } from '../db/rows/update-issue.ts';
import { insertAttempt } from '../attempts/rows/insert-attempt.ts';
import { updateAttempt } from '../attempts/rows/update-attempt.ts';
import { commitChange } from '../observe/events/commit-change.ts';
import { expectRowsAffected, type Step } from '../db/commit-steps.ts';
import type { EffectiveConfig } from '../config/schema/config-schema.ts';
import type { Statement } from '../db/database.ts';
import { type AttemptRow, attempts } from '../db/schema/work/attempts.ts';
import type { IssueRow } from '../db/schema/work/issues.ts';
import type { Deps } from '../deps.ts';
import { appendEvents } from '../observe/events/append.ts';
import { offeredTools } from '../attempts/tools/offered-tools.ts';
import { ZERO_TOKENS } from '../issues/zero-tokens.ts';
import { feedbackSection } from '../pull-requests/feedback/feedback-section.ts';
import { leadsNow } from '../jobs/leadership/leads-now.ts';
import { notifyIssueClaimed } from '../notifications/notify-issue.ts';
import { claimCanary } from '../attempts/upstreams/pause-upstream.ts';
import { newestCheckpoint } from '../attempts/checkpoints/queries.ts';
import { promptTemplate } from '../attempts/prompt/prompt-template.ts';
import { holdWorkspace } from '../runners/workspaces/hold-workspace.ts';
import { currentAttempt, attemptOfThread } from '../attempts/queries.ts';
import type { EngineChoice } from '../config/provider/engine-choice.ts';
import { isSameEngine } from '../attempts/engine/is-same-engine.ts';
import {
  type Failover,
  failoverAudit,
  failoverEvent,
  failoverOf,
} from '../attempts/engine/failover.ts';
import { handOverFacts } from '../attempts/engine/hand-over-facts.ts';
import { threadToResume } from '../attempts/engine/thread-to-resume.ts';
import { handOverSection } from '../attempts/prompt/hand-over.ts';
import { branchOfIssue } from '../attempts/identity/branch-of-issue.ts';
import { branchOfWork } from '../attempts/identity/branch-of-work.ts';
import { keyOfIssue } from '../attempts/identity/key-of-issue.ts';
import { ownCommits } from '../attempts/identity/own-commits.ts';
import { buildSpec } from './build-spec.ts';
import { REPORT_PROMPT } from './report-prompt.ts';
import {
  attachMessages,
  undeliveredMessages,
  messagesSection,
} from '../attempts/prompt/undelivered-messages.ts';

export type Offer = {
  issue: IssueRow;
  /** An attempt that waits for a runner again; null starts a new one. */
  waiting: AttemptRow | null;
  runnerId: string;
  /** Engine, model and account of its chain that is in turn. */
  choice: EngineChoice;
  /** Paused upstreams that this attempt is to try out. */
  canaryOf: readonly string[];
  route: RepoRoute;
  config: EffectiveConfig;
};

/**
 * Claims the issue, writes the offer and sends it. The claim is a compare-and-swap on the issue's
 * version and on the runner's free slots, so that two deciders never offer one issue twice.
 * False when somebody else was first.
 */
export async function offerAttempt(deps: Deps, offer: Offer): Promise<boolean> {
  const { issue, waiting, runnerId } = offer;
  const nowMs = deps.clock.nowMs();
  const attemptId = waiting?.attempt_id ?? deps.ids.next('att');
  const number = waiting?.number ?? issue.attempt_count + 1;
  const epoch = (waiting?.epoch ?? 0) + 1;
  const branchBefore = waiting === null ? null : branchOfWork(waiting);
  const worked = { ...issue, branch: branchBefore ?? issue.branch };
  const before = waiting ?? (await currentAttempt(deps.db, issue));
  const [checkpoint, words, feedback, key, branch, commits] = await Promise.all([
    newestCheckpoint(deps.db, issue),
    undeliveredMessages(deps.db, issue, waiting?.attempt_id ?? null),
    issue.pull_request_url === null ? '' : feedbackSection(deps.db, issue),
    keyOfIssue(deps.db, issue),
    branchOfIssue(deps.db, worked, offer.route.url),
    ownCommits(deps.db, issue, before),
  ]);
  const threadId = await threadFor(deps, offer, before);
  const other = before === null || isSameEngine(before, offer.choice) ? null : before;
  const handOver =
    other !== null && threadId === null && issue.tokens.total > 0
      ? handOverSection(await handOverFacts(deps.db, other, checkpoint))
      : '';
  const spec = await buildSpec({
    attemptId,
    number,
    turnsBefore: waiting?.turn_count ?? 0,
    issue: worked,
    branch,
    ownCommits: commits,
    workspaceKey: key,
    route: offer.route,
    config: offer.config,
    choice: offer.choice,
    threadId,
    handOver,
    template: issue.read_only ? REPORT_PROMPT : await promptTemplate(deps.db, issue, offer.config),
    checkpoint,
    tools: offeredTools(
      deps,
      { tracker: issue.tracker, repositoryUrl: offer.route.url },
      offer.config.agent.tools,
    ),
    words: messagesSection(words) + feedback,
    wordsHeard: waiting !== null && waiting.turn_count > 0,
  });
  const held = { runnerId, key };
  const failover =
    waiting !== null || other === null ? null : failoverOf(other, { attemptId, spec });
  const statements =
    waiting === null
      ? newAttempt(deps, offer, { attemptId, number, epoch, spec, threadId, failover, nowMs })
      : sameAttempt(deps, waiting, { runnerId, spec, threadId, nowMs });
  const committed = await commitChange(deps, {
    ...(failover === null ? {} : { audit: failoverAudit(failover, issue) }),
    swap: swapIssue(
      deps.db,
      issue,
      {
        status: 'queued',
        reason: 'offered to a runner',
        reason_code: 'offered',
        current_attempt_id: attemptId,
        on_trial: isScriptedModel(spec.engine.model),
        workspace_key: key,
        queued_since_ms: issue.queued_since_ms ?? nowMs,
        ...(waiting === null
          ? { attempt_count: number, run_count: issue.run_count + 1, next_retry_at_ms: null }
          : {}),
      },
      and(hasFreeSlot(runnerId), leadsNow(deps)),
    ),
    also: [
      ...statements,
      holdWorkspace(deps.db, { ...held, tracker: issue.tracker, issueId: issue.id }),
      ...attachMessages(deps.db, words, attemptId),
      ...offer.canaryOf.map((upstream) =>
        expectRowsAffected(claimCanary(deps.db, { upstream, attemptId, nowMs })),
      ),
    ],
  });
  if (!committed) return false;
  deps.sockets.send(runnerId, [
    { type: 'offer', attemptId, epoch, expiresInMs: OFFER_TTL_MS, spec },
  ]);
  return true;
}

/** Offered, leased and running attempts never exceed the runner's slots at commit time. */
function hasFreeSlot(runnerId: string) {
  return sql`exists (select 1 from runners r where r.runner_id = ${runnerId}
    and r.revoked_at_ms is null and not r.draining and r.slots_total > (
      select count(*) from attempts a where a.runner_id = ${runnerId}
      and a.status in ('queued', 'running') and a.released_at_ms is null))`;
}

async function threadFor(
  { db }: Pick<Deps, 'db'>,
  { issue, waiting, choice }: Offer,
  before: AttemptRow | null,
): Promise<string | null> {
  if (waiting !== null) {
    const thread = { thread_id: waiting.thread_id, thread_engine: waiting.engine };
    return threadToResume(thread, waiting, choice);
  }
  if (issue.thread_id === null) return null;
  const owner =
    before?.thread_id === issue.thread_id
      ? before
      : await attemptOfThread(db, issue, issue.thread_id);
  return threadToResume(issue, owner, choice);
}

type New = {
  attemptId: string;
  number: number;
  epoch: number;
  spec: AttemptSpec;
  threadId: string | null;
  failover: Failover | null;
  nowMs: number;
};

function newAttempt(deps: Deps, offer: Offer, input: New): Statement[] {
  const { issue } = offer;
  return [
    insertAttempt(deps.db, {
      attempt_id: input.attemptId,
      tracker: issue.tracker,
      issue_id: issue.id,
      identifier: issue.identifier,
      issue_state: issue.state,
      number: input.number,
      status: 'queued',
      phase: 'offered',
      runner_id: offer.runnerId,
      epoch: input.epoch,
      offer_expires_at_ms: input.nowMs + OFFER_TTL_MS,
      digest: EMPTY_DIGEST,
      spec: input.spec,
      thread_id: input.threadId,
      branch: input.spec.branch ?? null,
      ...engineColumns(input.spec),
      failed_over_from: input.failover?.from.attemptId ?? null,
      repository_url: input.spec.repository.url,
      tokens: ZERO_TOKENS,
      queued_at_ms: input.nowMs,
    }),
    ...appendEvents(deps.db, input.nowMs, [
      {
        type: 'issue.queued',
        atMs: input.nowMs,
        data: {
          identifier: issue.identifier,
          issueId: issue.id,
          attemptId: input.attemptId,
          number: input.number,
          status: 'queued',
          reason: 'offered to a runner',
          reasonCode: 'offered',
        },
      },
    ]),
    ...(input.failover === null
      ? []
      : appendEvents(deps.db, input.nowMs, [failoverEvent(input.failover, issue, input.nowMs)], {
          ...{ attemptId: input.attemptId, epoch: input.epoch, fromRunnerSeq: null },
        })),
    ...(issue.run_count === 0 && issue.failure_count === 0
      ? notifyIssueClaimed(deps.db, input.nowMs, issue, input)
      : []),
  ];
}

/** What an attempt works with, as its row has it. */
function engineColumns({ engine }: AttemptSpec) {
  return {
    engine: engine.name ?? null,
    account: engine.account ?? null,
    model: engine.model,
    reasoning_effort: engine.reasoningEffort ?? null,
  };
}

function sameAttempt(
  deps: Deps,
  waiting: AttemptRow,
  input: { runnerId: string; spec: AttemptSpec; threadId: string | null; nowMs: number },
): Step[] {
  return [
    expectRowsAffected(
      updateAttempt(
        deps.db,
        waiting,
        {
          phase: 'offered',
          runner_id: input.runnerId,
          epoch: waiting.epoch + 1,
          offer_expires_at_ms: input.nowMs + OFFER_TTL_MS,
          last_seq: 0,
          digest: EMPTY_DIGEST,
          spec: input.spec,
          branch: input.spec.branch ?? null,
          thread_id: input.threadId,
          ...engineColumns(input.spec),
        },
        eq(attempts.status, 'queued'),
      ),
    ),
  ];
}
