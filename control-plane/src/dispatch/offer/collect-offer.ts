import { type ReviewTask, reviewToDo } from '../../pull-requests/reviews/queries.ts';
import { mergeRulesOf } from '../../pull-requests/merge-queue/merge-rules-of.ts';
import { mergeToTest } from '../../pull-requests/merge-queue/queries.ts';
import type { AttemptKind } from '@switchyard/shared/api/work/attempt';
import { approvedPlan } from '../../attempts/plans/queries.ts';
import { nextKind } from '../../attempts/plans/next-kind.ts';
import type { ApprovedPlan } from '../../attempts/prompt/plan-prompt.ts';
import type { MergeSpec, ToolSpec } from '@switchyard/shared/protocol/attempt-spec';
import { READS_ONLY } from '@switchyard/shared/model-providers/scripted-model';
import { newestCheckpoint } from '../../attempts/checkpoints/queries.ts';
import { handOverFacts } from '../../attempts/engine-choices/hand-over-facts.ts';
import { isSameEngine } from '../../attempts/engine-choices/is-same-engine.ts';
import { threadToResume } from '../../attempts/engine-choices/thread-to-resume.ts';
import { branchOfIssue } from '../../attempts/identity/branch-of-issue.ts';
import { branchOfWork } from '../../attempts/identity/branch-of-work.ts';
import { keyOfIssue } from '../../attempts/identity/key-of-issue.ts';
import { ownCommits } from '../../attempts/identity/own-commits.ts';
import type { HandOver } from '../../attempts/prompt/hand-over.ts';
import { promptTemplate } from '../../attempts/prompt/prompt-template.ts';
import {
  type UndeliveredMessage,
  undeliveredMessages,
} from '../../attempts/prompt/undelivered-messages.ts';
import { attemptOfThread, currentAttempt } from '../../attempts/queries.ts';
import { offeredTools } from '../../attempts/tools/offered-tools.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { CheckpointRow } from '../../db/schema/work/checkpoints.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { Deps } from '../../deps.ts';
import { issueById } from '../../issues/queries.ts';
import { feedbackSection } from '../../pull-requests/feedback/feedback-section.ts';
import type { Offer } from './offer.ts';

/** The prompt of a read-only attempt: a Liquid template in strict mode. */
const REPORT_PROMPT = `You look at the repository that is checked out in the current directory and report on it. You change nothing: ${READS_ONLY}, nothing is committed and nothing is pushed.

# {{ issue.title }}

{% if issue.description %}{{ issue.description }}{% else %}Report on the state of the repository.{% endif %}

## How to end
Your last message is the report: write it in Markdown, complete in itself, for a reader who sees nothing else. End it with one line and nothing after it:
- \`SWITCHYARD_STATUS: DONE\` when the report is complete.
- \`SWITCHYARD_STATUS: BLOCKED\` when you cannot make it. Say above it what you need.
`;

/**
 * What dispatch collects for an issue's next run. `buildSpec` makes the specification
 * (`AttemptSpec`) from this and the offer.
 */
export type OfferFacts = {
  attemptId: string;
  number: number;
  kind: AttemptKind;
  /** Tracker state by which the mode of a plan is chosen; null: it makes none. */
  planState: string | null;
  /** The approved plan; null: the work has none. */
  plan: ApprovedPlan | null;
  /** The merge to test; null: none, because an agent works. */
  merge: MergeSpec | null;
  /** The commit to review; null: none, because nothing is reviewed. */
  review: ReviewTask | null;
  epoch: number;
  /** The issue, with the branch that its work continues on. */
  issue: IssueRow;
  /** The issue that it is a part of; null: none, or it is not recorded. */
  parent: IssueRow | null;
  /** The attempt that this one continues, if its engine or account differs; null otherwise. */
  otherBefore: AttemptRow | null;
  /** The thread to resume; null starts a new one. */
  threadId: string | null;
  /**
   * What the previous attempt passes on to an agent that cannot resume its thread; null: nothing.
   */
  handOver: HandOver | null;
  checkpoint: CheckpointRow | null;
  messages: readonly UndeliveredMessage[];
  /** Prompt section with the feedback on the pull request; empty when there is none. */
  feedback: string;
  workspaceKey: string;
  branch: string;
  ownCommits: string[];
  template: string;
  tools: ToolSpec[];
  nowMs: number;
};

/**
 * Reads everything that the specification of an offer is made from; null when the test of a merge or
 * the review that it is for is no longer wanted. Throws TemplateMissing.
 */
export async function collectOffer(
  deps: Pick<Deps, 'db' | 'clock' | 'ids' | 'codeHosts' | 'trackers'>,
  offer: Offer,
): Promise<OfferFacts | null> {
  const { db } = deps;
  const { waiting, route, config } = offer;
  const branchBefore = waiting === null ? null : branchOfWork(waiting);
  const issue = { ...offer.issue, branch: branchBefore ?? offer.issue.branch };
  const before = waiting ?? (await currentAttempt(db, issue));
  const startedState = deps.trackers.get(issue.tracker)?.stateRoles().started ?? null;
  const { kind, planState } =
    waiting === null
      ? nextKind({ issue, before, route, startedState }, config.agent)
      : { kind: waiting.kind, planState: waiting.plan_state };
  if (kind === 'check') return collectMergeTest(deps, offer, before);
  if (kind === 'review') return collectReview(deps, offer, before);
  const { tracker } = issue;
  const [checkpoint, messages, feedback, workspaceKey, branch, commits, plan, parent] =
    await Promise.all([
      newestCheckpoint(db, issue),
      undeliveredMessages(db, issue, waiting?.attempt_id ?? null),
      issue.pull_request_url === null ? '' : feedbackSection(db, issue),
      keyOfIssue(db, issue),
      branchOfIssue(db, issue, route.url),
      ownCommits(db, issue, before),
      approvedPlan(db, issue),
      issue.parent === null ? null : issueById(db, { tracker, id: issue.parent.id }),
    ]);
  const threadId = await threadFor(deps, offer, before);
  const otherBefore = before === null || isSameEngine(before, offer.choice) ? null : before;
  const isHandedOver = otherBefore !== null && threadId === null && issue.tokens.total > 0;
  const place = { tracker: issue.tracker, repositoryUrl: route.url };
  return {
    attemptId: waiting?.attempt_id ?? deps.ids.next('att'),
    number: waiting?.number ?? issue.attempt_count + 1,
    kind,
    planState,
    plan,
    merge: null,
    review: null,
    epoch: (waiting?.epoch ?? 0) + 1,
    issue,
    parent,
    otherBefore,
    threadId,
    handOver: isHandedOver ? await handOverFacts(db, otherBefore, checkpoint) : null,
    checkpoint,
    messages,
    feedback,
    workspaceKey,
    branch,
    ownCommits: commits,
    template: issue.read_only ? REPORT_PROMPT : await promptTemplate(db, issue, config),
    tools: offeredTools(deps, place, config.agent.tools),
    nowMs: deps.clock.nowMs(),
  };
}

/** The facts of an offer to test a merge, for which no agent is asked. */
async function collectMergeTest(
  { db, clock, ids }: Pick<Deps, 'db' | 'clock' | 'ids'>,
  { issue, waiting, route }: Offer,
  before: AttemptRow | null,
): Promise<OfferFacts | null> {
  if (mergeRulesOf(route, route.url).policy === null) return null;
  const [merge, workspaceKey, branch, commits] = await Promise.all([
    issue.merging === null ? null : mergeToTest(db, issue.merging, route.url),
    keyOfIssue(db, issue),
    branchOfIssue(db, issue, route.url),
    ownCommits(db, issue, before),
  ]);
  if (merge === null) return null;
  return {
    ...forPullRequest({ clock, ids }, { issue, waiting }),
    kind: 'check',
    merge,
    workspaceKey,
    branch,
    ownCommits: commits,
  };
}

/**
 * The facts of an offer to review a commit. The reviewing agent gets the issue and the change, and
 * nothing of what was said to the author's agent.
 */
async function collectReview(
  deps: Pick<Deps, 'db' | 'clock' | 'ids'>,
  offer: Offer,
  before: AttemptRow | null,
): Promise<OfferFacts | null> {
  const { db } = deps;
  const { issue, waiting, route } = offer;
  const [review, workspaceKey, commits, parent, threadId] = await Promise.all([
    issue.reviewing === null ? null : reviewToDo(db, issue.reviewing, route.url),
    keyOfIssue(db, issue),
    ownCommits(db, issue, before),
    issue.parent === null ? null : issueById(db, { tracker: issue.tracker, id: issue.parent.id }),
    waiting === null ? null : threadFor(deps, offer, before),
  ]);
  if (review === null) return null;
  return {
    ...forPullRequest(deps, { issue, waiting }),
    kind: 'review',
    review,
    parent,
    threadId,
    workspaceKey,
    branch: review.branch,
    ownCommits: commits,
  };
}

/** What all offers for a pull request have in common: they go on with nothing of the work. */
function forPullRequest(
  { clock, ids }: Pick<Deps, 'clock' | 'ids'>,
  { issue, waiting }: Pick<Offer, 'issue' | 'waiting'>,
) {
  return {
    attemptId: waiting?.attempt_id ?? ids.next('att'),
    number: waiting?.number ?? issue.attempt_count + 1,
    planState: null,
    plan: null,
    merge: null,
    review: null,
    epoch: (waiting?.epoch ?? 0) + 1,
    issue,
    parent: null,
    otherBefore: null,
    threadId: null,
    handOver: null,
    checkpoint: null,
    messages: [],
    feedback: '',
    template: '',
    tools: [],
    nowMs: clock.nowMs(),
  };
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
