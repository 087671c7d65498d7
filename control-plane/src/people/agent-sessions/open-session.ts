import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { reasonLine } from '@switchyard/shared/reasons/explain-reason';
import { commitChange } from '../../observe/events/commit-change.ts';
import type { Step } from '../../db/commit-steps.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { attemptById } from '../../attempts/queries.ts';
import { agentSessions, type AgentSessionRow } from '../../db/schema/people/agent-sessions.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { Deps } from '../../deps.ts';
import { issueById } from '../../issues/queries.ts';
import { readPause } from '../../issues/pause/queries.ts';
import { type Draft, nextUpdate, SILENCE_MS } from './decide.ts';
import { anyRunnerConnected, type SessionKey, sessionById, sessionsToUpdate } from './queries.ts';
import { activityStatements, postActivity } from './post-activity.ts';
import { sessionStatus } from './session-status.ts';

type OpenDeps = Pick<Deps, 'db' | 'clock' | 'trackers' | 'service' | 'connections' | 'redactor'>;
type Opening = SessionKey & {
  issueId: string | null;
  appUserId: string;
  threadId: string | null;
  caller: Caller;
  /** Why the session is refused; null when the person may give work. */
  refusal: string | null;
};

/**
 * Stores a session with its first activity, which tells the issue's state. Earlier sessions of the
 * issue are told that this one continues. A no-op for a session that is already stored.
 */
export async function openSession(deps: OpenDeps, opening: Opening): Promise<void> {
  if ((await sessionById(deps.db, opening)) !== null) return;
  const { db } = deps;
  const nowMs = deps.clock.nowMs();
  const issueId = opening.issueId ?? '';
  const issue = await issueById(db, { tracker: opening.tracker, id: issueId });
  const { updateKey, draft } = await firstText(deps, opening, issue);
  const row = {
    tracker: opening.tracker,
    session_id: opening.sessionId,
    issue_id: issueId,
    app_user_id: opening.appUserId,
    thread_id: opening.threadId,
    state: opening.refusal === null ? ('open' as const) : ('replaced' as const),
    told: updateKey,
    activity_at_ms: nowMs,
    due_at_ms: opening.refusal === null ? nowMs + SILENCE_MS : null,
    created_at_ms: nowMs,
    version: 1,
  };
  const committed = await commitChange(deps, {
    swap: db.insert(agentSessions).values(row).onConflictDoNothing(),
    also: [
      ...(await activityStatements(db, nowMs, row, [draft])),
      ...(opening.refusal === null ? await replaceOthers(deps, row) : []),
    ],
    audit: {
      caller: opening.caller,
      operation: 'agent_session.open',
      subject: issue?.identifier ?? issueId,
      details: { sessionId: opening.sessionId },
    },
    nowMs,
  });
  // On a conflict another request opened it, or another session changed and it is retried.
  if (!committed && (await sessionById(db, opening)) === null) {
    throw new Error('another session of the issue was modified concurrently');
  }
}

/** Only one session of an issue gets updates: the newest in which a person wrote. */
export async function replaceOthers(
  { db, clock }: Pick<OpenDeps, 'db' | 'clock'>,
  session: Pick<AgentSessionRow, 'tracker' | 'session_id' | 'issue_id'>,
): Promise<Step[]> {
  const issue = { tracker: session.tracker, id: session.issue_id };
  const others = (await sessionsToUpdate(db, issue)).filter(
    (other) => other.session_id !== session.session_id,
  );
  const body = 'The work goes on in a newer session of this issue.';
  const drafts: Draft[] = [{ content: { type: 'response', body } }];
  const changes = { state: 'replaced', due_at_ms: null } as const;
  const posted = others.map((other) =>
    postActivity(db, clock.nowMs(), other, {
      drafts: other.state === 'open' ? drafts : [],
      changes,
    }),
  );
  return (await Promise.all(posted)).flat();
}

async function firstText(
  deps: OpenDeps,
  opening: Opening,
  issue: IssueRow | null,
): Promise<{ updateKey: string; draft: Draft }> {
  if (opening.refusal !== null) {
    return {
      updateKey: 'refused',
      draft: { content: { type: 'response', body: opening.refusal } },
    };
  }
  if (opening.issueId === null) {
    const body = 'Only issues can be worked on here: delegate one, or mention me on it.';
    return { updateKey: 'unknown', draft: { content: { type: 'error', body } } };
  }
  if (issue !== null && ['queued', 'running', 'retrying'].includes(issue.status)) {
    const attemptId = issue.current_attempt_id;
    const attempt = attemptId === null ? null : await attemptById(deps.db, attemptId);
    const news = nextUpdate(sessionStatus(deps, { issue, attempt, asked: null }));
    if (news !== null) return { updateKey: news.key, draft: { content: news.content } };
  }
  const why = await waitsFor(deps);
  const line = why === null ? 'waiting for its turn' : reasonLine({ status: 'queued', ...why });
  const body = `Queued: ${line?.replace(/\.$/, '')}.`;
  const key = why === null ? 'opened' : `queued:${why.reasonCode}`;
  return { updateKey: key, draft: { content: { type: 'thought', body } } };
}

/**
 * What the issue waits for, in the words that dispatch uses; null when nothing prevents its start.
 */
async function waitsFor(
  deps: OpenDeps,
): Promise<{ reasonCode: ReasonCode; reason: string } | null> {
  const pause = await readPause(deps.db);
  if (pause !== null) return { reasonCode: 'service_paused', reason: `paused: ${pause.reason}` };
  const connected = await anyRunnerConnected(deps);
  if (connected) return null;
  return { reasonCode: 'runner_missing', reason: 'waiting for a runner: none is connected' };
}
