import { Calls } from '@switchyard/shared/protocol/calls';
import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { workInProgressRef } from '@switchyard/shared/protocol/work-in-progress-ref';
import { workspaceKeyOf } from '@switchyard/shared/protocol/workspace-key';
import { and, eq, isNull } from 'drizzle-orm';
import { otherHolder } from '../../attempts/identity/branch-of-issue.ts';
import { updateAttempt } from '../../attempts/rows/update-attempt.ts';
import { commitSilently, expectRowsAffected } from '../../db/commit-steps.ts';
import { type AttemptRow, attempts } from '../../db/schema/work/attempts.ts';
import { isOwnBranch, OWN_BRANCH_PREFIX } from '@switchyard/shared/branch/is-own-branch';
import type { Bound, Deps } from '../../deps.ts';
import type { Replies, RunnerSession } from '../session/runner-session.ts';
import type { answerLater } from './answer-later.ts';
import type { callToolOfAttempt } from './call-tool-of-attempt.ts';
import type { gitCredentials } from './git-credentials.ts';
import { holdsLease } from '../leases/holds-lease.ts';
import { attemptAndRunner } from '../queries.ts';
import { sessionIsCurrent } from '../session/session-is-current.ts';
import { refusal } from './refusal.ts';
import { mergeIsWanted, refuseMerge } from './refuse-merge.ts';

const LEASE_LOST = 'the lease is lost';

/** Answers a call that a runner makes under its lease. */
export async function answerCall(
  deps: Pick<Deps, 'db' | 'clock' | 'service'> & {
    answerLater: Bound<typeof answerLater>;
    gitCredentials: Bound<typeof gitCredentials>;
    callTool: Bound<typeof callToolOfAttempt>;
  },
  session: RunnerSession,
  message: RunnerMessageOf<'call'>,
): Promise<Replies> {
  if (message.method === 'git.credentials') {
    deps.answerLater(session, message, () => deps.gitCredentials(session, message));
    return [];
  }
  if (message.method === 'tool.call') {
    deps.answerLater(session, message, () => deps.callTool(session, message));
    return [];
  }
  if (message.method !== 'push.permit') {
    return [refusal(message.callId, 'UNSUPPORTED', `unknown method ${message.method}`)];
  }
  const params = Calls['push.permit'].params.safeParse(message.params);
  if (!params.success || message.attemptId === undefined || message.epoch === undefined) {
    return [refusal(message.callId, 'INVALID', 'malformed parameters')];
  }
  const { attemptId, epoch } = message;
  const found = await attemptAndRunner(deps.db, attemptId, session.runnerId);
  const holds = holdsLease(deps, session, { ...found, epoch });
  const attempt = holds ? found.attempt : null;
  const refused =
    attempt?.kind === 'check'
      ? await refuseMerge(deps.db, attempt, params.data)
      : (refusePush(attempt, params.data) ??
        (await whoseBranch(deps.db, found.attempt, params.data)));
  const reason = refused ?? (await noteDelivery(deps, session, found.attempt, params.data));
  const value = reason === null ? { allowed: true } : { allowed: false, reason };
  return [{ type: 'result', callId: message.callId, ok: true, value }];
}

/**
 * Why a branch must not be pushed, for people: another issue owns it. Null when no other issue
 * does.
 */
async function whoseBranch(
  db: Deps['db'],
  row: Pick<AttemptRow, 'tracker' | 'issue_id' | 'identifier' | 'spec'> | null,
  asked: { branch: string; repositoryUrl: string },
): Promise<string | null> {
  if (row === null || !isOwnBranch(asked.branch)) return null;
  const { tracker, issue_id: id, identifier, spec } = row;
  const issue = { tracker, id, identifier, workspace_key: spec.workspaceKey ?? null };
  const holder = await otherHolder(db, issue, asked);
  if (holder === null) return null;
  return `branch ${asked.branch} belongs to issue ${holder}; this work is delivered under another name`;
}

/**
 * Records that a runner starts to deliver when it gets permission to push, since its events may
 * arrive late: a late finish of an earlier lease must not interfere. Returns why it may not, for
 * people; null when it may.
 */
async function noteDelivery(
  { db }: Pick<Deps, 'db'>,
  session: RunnerSession,
  attempt: AttemptRow | null,
  { branch }: { branch: string },
): Promise<string | null> {
  if (attempt === null) return null;
  const isMerge = attempt.kind === 'check';
  if (!isMerge && (attempt.phase === 'delivering' || !isOwnBranch(branch))) return null;
  const isHeld = and(
    eq(attempts.runner_id, session.runnerId),
    eq(attempts.status, 'running'),
    isNull(attempts.released_at_ms),
    sessionIsCurrent(session),
    // A person may have taken it out of the merge queue, or stopped it, since it was read.
    ...(isMerge ? [isNull(attempts.cancel_requested_at_ms), mergeIsWanted(db, attempt)] : []),
  );
  const change = updateAttempt(db, attempt, { phase: 'delivering' }, isHeld);
  const committed = await commitSilently(db, [expectRowsAffected(change)]);
  if (committed !== null) return null;
  return isMerge ? 'the merge is no longer wanted, or its lease is lost' : LEASE_LOST;
}

function refusePush(
  /** Null: the lease is not held. */
  row: Pick<AttemptRow, 'repository_url' | 'cancel_requested_at_ms' | 'identifier' | 'spec'> | null,
  params: { branch: string; repositoryUrl: string },
): string | null {
  if (row === null) return LEASE_LOST;
  if (row.repository_url !== params.repositoryUrl) return 'this repository is not the attempt’s';
  if (row.spec.readOnly === true) return 'this attempt only reads';
  // Unfinished work is saved also while the attempt is being stopped, which is when it matters
  // most.
  if (params.branch === workInProgressRef(workspaceKeyOf(row.spec))) return null;
  if (row.cancel_requested_at_ms !== null) return 'the attempt is being stopped';
  if (!isOwnBranch(params.branch)) return `only branches under ${OWN_BRANCH_PREFIX} may be pushed`;
  return null;
}
