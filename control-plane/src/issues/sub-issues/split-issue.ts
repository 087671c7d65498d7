import {
  type SplitIssue,
  type SplitResponse,
  type SubIssueDraft,
} from '@switchyard/shared/api/issue-tree';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import { currentAttempt } from '../../attempts/queries.ts';
import { commitChange } from '../../observe/events/commit-change.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { isOneOf } from '../../ports/tracker/find-state.ts';
import type { SubIssuePlan, Tracker, TrackerIssue } from '../../ports/tracker/tracker.ts';
import { blockerCircles } from '../../ports/tracker/blocker-circles.ts';
import { issueRecord } from '../issue-record.ts';
import { issuesByIdentifiers, issuesByIds, requireIssue } from '../queries.ts';
import { freshCounts, setIssueStatus } from '../set-issue-status.ts';
import { callTracker } from '../call-tracker.ts';
import { withCurrentIssue } from '../with-current-issue.ts';
import { openParts } from './decide.ts';
import { hasOpenPullRequest } from './queries.ts';

const MAX_TRIES = 5;

/**
 * Splits an issue into parts in its tracker: it waits for them from then on, whatever became of it
 * before. Throws a 400 that names the part whose blockers are wrong, and a 409 when an agent works on
 * the issue, it is closed, or its tracker has no parts of issues.
 */
export async function splitIssue(
  deps: Pick<Deps, 'db' | 'clock' | 'trackers' | 'wake' | 'service'>,
  input: { identifier: string; caller: Caller; split: SplitIssue },
): Promise<SplitResponse> {
  const { db, service } = deps;
  const { subIssues: drafts } = input.split;
  const created = await withCurrentIssue(db, input.identifier, async (issue) => {
    const create = createSubIssuesOf(deps, issue);
    await refuseLiveWork(db, issue);
    const plans = await plansOf(deps, issue, drafts);
    return callTracker(() => create(issue, plans));
  });
  await recordSplit(deps, input, created);
  deps.wake();
  const issue = await requireIssue(db, input.identifier);
  const ids = created.map(({ id }) => id);
  const rows = new Map((await issuesByIds(db, issue.tracker, ids)).map((row) => [row.id, row]));
  return {
    issue: issueRecord(issue, service.publicOrigin),
    subIssues: ids
      .flatMap((id) => rows.get(id) ?? [])
      .map((row) => issueRecord(row, service.publicOrigin)),
  };
}

/** How sub-issues of the issue are created. Throws a 409 when it cannot be split now. */
function createSubIssuesOf(
  deps: Pick<Deps, 'trackers'>,
  issue: IssueRow,
): NonNullable<Tracker['createSubIssues']> {
  const { identifier } = issue;
  const tracker = deps.trackers.get(issue.tracker);
  const create = tracker?.createSubIssues;
  if (tracker === undefined || create === undefined) {
    const message = `the tracker of ${identifier} cannot split issues from here; add sub-issues there`;
    throw new AppError('conflict', message, { reason: 'tracker_without_sub_issues' });
  }
  if (isOneOf(issue.state, tracker.stateRoles().terminal))
    throw new AppError('conflict', `issue ${identifier} is ${issue.state}; reopen it first`);
  return create.bind(tracker);
}

/** Throws a 409 when an attempt on the issue runs or waits, or its pull request is open. */
async function refuseLiveWork(db: Deps['db'], issue: IssueRow): Promise<void> {
  const { identifier } = issue;
  if (await hasLiveAttempt(db, issue)) {
    const message = `an attempt on issue ${identifier} runs or waits; stop it first`;
    throw new AppError('conflict', message);
  }
  if (!(await hasOpenPullRequest(db, issue))) return;
  const message = `the pull request of issue ${identifier} is open; merge or close it first`;
  throw new AppError('conflict', message);
}

async function hasLiveAttempt(db: Deps['db'], issue: IssueRow): Promise<boolean> {
  const attempt = await currentAttempt(db, issue);
  return attempt?.status === 'running' || attempt?.status === 'queued';
}

/**
 * The sub-issues with their blockers, also those that the issue itself still waits for. Throws a
 * 400.
 */
async function plansOf(
  { db }: Pick<Deps, 'db'>,
  issue: IssueRow,
  drafts: readonly SubIssueDraft[],
): Promise<SubIssuePlan[]> {
  const names = drafts.flatMap(({ blockedBy = [] }) => blockedBy).map((name) => name.trim());
  const others = names.filter((name) => !name.startsWith('#'));
  const found = (await issuesByIdentifiers(db, others)).filter(
    ({ tracker }) => tracker === issue.tracker,
  );
  const inherited = issue.blocked_by.filter(({ terminal }) => !terminal).map(({ id }) => id);
  const byName = new Map(found.map(({ identifier, id }) => [identifier, id]));
  const plans = drafts.map((draft, at): SubIssuePlan => {
    const blockers = (draft.blockedBy ?? []).map((name) => name.trim());
    const blockedByIds = [...inherited];
    const blockedByParts = [];
    for (const name of blockers) {
      const part = partAt(name, drafts.length);
      const id = byName.get(name);
      if (part !== null) blockedByParts.push(part);
      else if (id !== undefined) blockedByIds.push(id);
      else throw refusal(at, `no such issue: ${name}`);
    }
    return {
      title: draft.title,
      ...(draft.description === undefined ? {} : { description: draft.description }),
      priority: draft.priority ?? issue.priority,
      labels: draft.labels ?? issue.labels,
      blockedByIds: [...new Set(blockedByIds)],
      blockedByParts: [...new Set(blockedByParts)],
    };
  });
  refuseCycle(plans);
  return plans;
}

/** Position, from 0, of the part that `#N` names; null: it names none. */
function partAt(name: string, count: number): number | null {
  const position = /^#([1-9][0-9]{0,3})$/.exec(name)?.[1];
  if (position === undefined || Number(position) > count) return null;
  return Number(position) - 1;
}

function refuseCycle(plans: readonly SubIssuePlan[]): void {
  const circles = blockerCircles(
    plans.map(({ blockedByParts }, at) => ({
      key: String(at),
      identifier: `#${at + 1}`,
      blockers: blockedByParts.map(String),
    })),
  );
  const [first] = circles;
  if (first === undefined) return;
  const [at, circle] = first;
  throw refusal(Number(at), `#${Number(at) + 1} would wait for itself: ${circle}`);
}

function refusal(at: number, message: string): AppError {
  const path = `subIssues.${at}.blockedBy`;
  return new AppError('bad_request', `${path}: ${message}`, { details: [{ path, message }] });
}

/**
 * Stores that the issue waits for its new sub-issues, whatever became of it before. One that is
 * modified again and again stays as it is: dispatch and the end of its sub-issues see them too.
 */
async function recordSplit(
  deps: Pick<Deps, 'db' | 'clock'>,
  { identifier, caller }: { identifier: string; caller: Caller },
  created: readonly TrackerIssue[],
): Promise<void> {
  const details = { subIssues: created.map((one) => one.identifier) };
  const audit = { caller, operation: 'issue.split', subject: identifier, details };
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const issue = await requireIssue(deps.db, identifier);
    const reason = openParts(issue.sub_issues);
    // An attempt that began in between goes on.
    if (reason === null || (await hasLiveAttempt(deps.db, issue))) break;
    const committed = await setIssueStatus(deps, {
      issue,
      status: 'idle',
      reason,
      code: 'sub_issues_open',
      // Its earlier pull request has ended, and with it the work that it was opened for.
      set: { ...freshCounts(issue), parked_fingerprint: null, pull_request_url: null },
      audit,
    });
    if (committed) return;
  }
  await commitChange(deps, { audit });
}
