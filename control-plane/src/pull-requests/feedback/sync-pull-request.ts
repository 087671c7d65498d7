import { trackerFacts } from '../../config/integrations/tracker-facts.ts';
import type { FeedbackItem, PullRequestView } from '../../ports/code-host/code-host.ts';
import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import type { PullRequestRow } from '../../db/schema/work/pull-requests.ts';
import type { Deps } from '../../deps.ts';
import { issueOfPullRequest } from '../rows/issue-of-pull-request.ts';
import { decideFeedback } from './decide.ts';
import { keepChecks } from './keep-checks.ts';
import { reportMissing, reportPresent } from './report-missing.ts';
import { roundsOf } from './queries.ts';
import { recordEnd } from './record-end.ts';
import { takeBackEnd } from './take-back-end.ts';
import { queueRound } from './queue-round.ts';
import { steeredKeys, steerWithFeedback } from './steer-with-feedback.ts';

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
    also: [],
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
