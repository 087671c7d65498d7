import { currentAttempt } from '../../attempts/queries.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { handleComment } from '../../issues/actions/handle-comment.ts';
import { issueById } from '../../issues/queries.ts';
import { retryIssue } from '../../issues/actions/retry-issue.ts';
import { isOneOf } from '../../ports/tracker/find-state.ts';
import type { IssueInput } from './session-input.ts';

/** Tolerance for a difference between the tracker's clock and that of this service. */
const CLOCKS_APART_MS = 30_000;

type Wish = Pick<IssueInput, 'person' | 'atMs' | 'message' | 'caller'>;

/**
 * Starts or steers work when a person assigns an issue to the agent or writes to it: the agent gets
 * the message, and a resting issue is queued again. A message from before the last attempt's end
 * starts nothing.
 */
export async function startWork(
  deps: Pick<Deps, 'db' | 'clock' | 'connections' | 'config' | 'trackers' | 'wake'>,
  issue: IssueRow,
  wish: Wish,
): Promise<void> {
  const key = { tracker: issue.tracker, id: issue.id };
  if (wish.message !== null) {
    await handleComment(deps, {
      tracker: issue.tracker,
      issueId: issue.id,
      commentId: wish.message.id,
      author: wish.person,
      body: wish.message.text,
      writtenAtMs: wish.atMs,
    });
  }
  const now = await issueById(deps.db, key);
  if (now === null || !(await mayBegin(deps, now, wish.atMs))) return;
  const { identifier } = now;
  const why = { reason: `given to the agent by ${wish.person}`, code: 'given_to_agent' as const };
  try {
    await retryIssue(deps, { identifier, caller: wish.caller, why });
  } catch (error) {
    // On a conflict the issue is running already, as requested, or keeps being changed by others.
    if (!(error instanceof AppError && error.code === 'conflict')) throw error;
  }
}

async function mayBegin(
  deps: Pick<Deps, 'db' | 'config' | 'trackers'>,
  issue: IssueRow,
  atMs: number | null,
): Promise<boolean> {
  const roles = deps.trackers.get(issue.tracker)?.stateRoles();
  if (roles === undefined || isOneOf(issue.state, roles.terminal)) return false;
  if (['queued', 'running', 'retrying'].includes(issue.status)) return false;
  if (issue.status === 'idle')
    return !isOneOf(issue.state, roles.active) && isEligible(deps, issue);
  const attempt = await currentAttempt(deps.db, issue);
  const endedAtMs = attempt?.ended_at_ms ?? 0;
  return (atMs ?? endedAtMs) >= endedAtMs - CLOCKS_APART_MS;
}

/**
 * Whether the issue would be worked on in an active state; if not, it stays and shows the reason.
 */
async function isEligible(deps: Pick<Deps, 'config'>, issue: IssueRow): Promise<boolean> {
  const { requiredLabels } = (await deps.config.load()).tracker;
  const has = new Set(issue.labels.map((label) => label.trim().toLowerCase()));
  const isLabelled = requiredLabels.every((label) => has.has(label.trim().toLowerCase()));
  return isLabelled && issue.dispatchable && issue.unroutable === null;
}
