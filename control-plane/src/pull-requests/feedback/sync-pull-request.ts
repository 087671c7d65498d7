import { groupBy } from '@switchyard/shared/group-by';
import { trackerFacts } from '../../config/integrations/tracker-facts.ts';
import { auditStatement } from '../../observe/audit/audit-statement.ts';
import { SERVICE_CALLER } from '../../http/caller/caller.ts';
import type { FeedbackItem, PullRequestView } from '../../ports/code-host/code-host.ts';
import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import type { Statement } from '../../db/database.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import { pullRequestFeedback } from '../../db/schema/work/pull-request-feedback.ts';
import type { PullRequestRow } from '../../db/schema/work/pull-requests.ts';
import type { Deps } from '../../deps.ts';
import { appendEvents } from '../../observe/events/append-events.ts';
import { moveBackToWork } from '../../issues/sync/move-back-to-work.ts';
import { setIssueStatus } from '../../issues/set-issue-status.ts';
import { issueOfPullRequest } from '../rows/issue-of-pull-request.ts';
import { decideFeedback } from './decide.ts';
import { feedbackText } from './feedback-text.ts';
import { keepChecks } from './keep-checks.ts';
import { storeReason } from './store-reason.ts';
import { reportMissing, reportPresent } from './report-missing.ts';
import { roundsOf } from './queries.ts';
import { recordEnd } from './record-end.ts';
import { takeBackEnd } from './take-back-end.ts';
import { forgetUndelivered, steeredKeys, steerWithFeedback } from './steer-with-feedback.ts';

const CALLER = { ...SERVICE_CALLER, path: 'feedback' };

/**
 * Syncs one pull request with its code host: a merge, close or reopening moves the issue, and new
 * feedback queues an attempt on the same branch. Idempotent: feedback that was already handled is
 * skipped. Throws the code host's error.
 */
export async function syncPullRequest(
  deps: Pick<Deps, 'db' | 'clock' | 'connections' | 'config' | 'trackers' | 'codeHosts'>,
  row: PullRequestRow,
  signal: AbortSignal,
): Promise<void> {
  const host = deps.codeHosts.find(
    (candidate) => candidate.kind === row.code_host && candidate.serves(row.repository_url),
  );
  const { repository_url: repositoryUrl, number, branch } = row;
  const view = await host?.viewPullRequest?.({ repositoryUrl, number, branch }, signal);
  if (view === undefined) return;
  if (row.status !== 'open') return takeBackEnd(deps, row, view);
  if (view.status === 'open') {
    await keepChecks(deps, row, view);
    await reportPresent(deps, row);
  }
  const [issue, rounds, steered, config] = await Promise.all([
    issueOfPullRequest(deps.db, row),
    roundsOf(deps.db, row.id),
    steeredKeys(deps.db, row.id),
    deps.config.load(),
  ]);
  const known = new Set([...rounds.flatMap(({ keys }) => keys), ...steered.heard]);
  const decision = decideFeedback<FeedbackItem>({
    issue:
      issue === null ? null : { status: issue.status, outOfBudget: issue.parked_kind === 'budget' },
    view: acceptedBy(view, config),
    known,
    underWay: steered.underWay,
    rounds: rounds.filter(({ started }) => started).length,
    maxRounds: config.agent.maxFeedbackAttempts,
    nowMs: deps.clock.nowMs(),
  });
  if (decision.kind === 'ended') return recordEnd(deps, row, issue, endOf(view));
  if (decision.kind === 'missing') return reportMissing(deps, row);
  if (decision.kind === 'nothing' || issue === null) return;
  const { items } = decision;
  if (decision.kind === 'steer') return steerWithFeedback(deps, { row, issue, items });
  const round = (rounds.at(-1)?.round ?? 0) + 1;
  await queueRound(deps, {
    row,
    issue,
    round,
    items,
    started: decision.kind === 'start',
  });
}

/**
 * Drops feedback of authors whom `tracker.allowedAuthors` does not name, if tracker and code host
 * share logins.
 */
function acceptedBy(view: PullRequestView, { tracker }: EffectiveConfig): PullRequestView {
  const allowed = tracker.allowedAuthors.map((name) => name.trim().toLowerCase());
  if (allowed.length === 0 || !trackerFacts(tracker.kind).hasCodeHostLogins) return view;
  const counts = ({ kind, from }: FeedbackItem) =>
    (kind !== 'review' && kind !== 'comment') || allowed.includes(from.toLowerCase());
  return { ...view, items: view.items.filter(counts) };
}

function endOf({ status, mergeCommitSha }: PullRequestView) {
  return {
    status: status === 'merged' ? ('merged' as const) : ('closed' as const),
    mergeCommitSha,
  };
}

type Round = {
  row: PullRequestRow;
  issue: IssueRow;
  round: number;
  items: FeedbackItem[];
  started: boolean;
};

async function queueRound(
  deps: Pick<Deps, 'db' | 'clock' | 'trackers'>,
  given: Round,
): Promise<void> {
  const { row, issue, round, started } = given;
  const nowMs = deps.clock.nowMs();
  const summary = summaryOf(given.items);
  const also = [
    ...storeRound(deps, given, nowMs),
    ...(started
      ? await moveBackToWork(deps, nowMs, { issue, key: `feedback:${row.id}:${round}` })
      : []),
  ];
  // If the issue was modified concurrently this conflicts, and the next sync decides again.
  if (started) {
    const reason = `more to do on pull request #${row.number}: ${summary}`;
    // Run and failure counts are reset, but the budget is not: only people grant more of it.
    const fromPeople = given.items.some(({ kind }) => kind === 'review' || kind === 'comment');
    const runs = fromPeople ? { unattended_runs: 0 } : {};
    const set = { run_count: 0, failure_count: 0, ...runs };
    const change = { status: 'queued', reason, code: 'feedback_received', set } as const;
    await setIssueStatus(deps, { issue, ...change, also });
  } else {
    const reason = `no attempt is left for what was said on pull request #${row.number} (${summary}); retry it to go on`;
    await storeReason(deps, issue, { reason, code: 'feedback_limit' }, also);
  }
}

function storeRound(deps: Pick<Deps, 'db'>, given: Round, nowMs: number): Statement[] {
  const { db } = deps;
  const { row, issue, round, items, started } = given;
  const keys = items.map(({ key }) => key);
  const data = { identifier: issue.identifier, pullRequestId: row.id, round, started, keys };
  return [
    db.insert(pullRequestFeedback).values({
      pull_request_id: row.id,
      round,
      tracker: issue.tracker,
      issue_id: issue.id,
      keys,
      started,
      created_at_ms: nowMs,
      body: feedbackText({ url: row.url, items }),
    }),
    forgetUndelivered(db, row, keys),
    auditStatement(db, nowMs, CALLER, {
      operation: 'issue.feedback',
      subject: issue.identifier,
      details: { pullRequestId: row.id, round, keys, started },
    }),
    ...appendEvents(db, nowMs, [{ type: 'pull_request.feedback', atMs: nowMs, data }]),
  ];
}

/** A short summary of the feedback for people, such as "2 × review, conflict". */
function summaryOf(items: readonly FeedbackItem[]): string {
  const names = {
    check: 'failed check',
    review: 'review',
    comment: 'comment',
    conflict: 'conflict',
  };
  const counts = groupBy(items, ({ kind }) => kind);
  return [...counts]
    .map(([kind, those]) => (those.length === 1 ? names[kind] : `${those.length} × ${names[kind]}`))
    .join(', ');
}
