import { PLAN_DECISION } from '@switchyard/shared/plan/is-approval';
import { currentAttempt } from '../../attempts/queries.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { abortIssue } from '../../issues/actions/abort-issue.ts';
import { answerRequest } from '../../issues/requests/answer-request.ts';
import { isOneOf } from '../../ports/tracker/find-state.ts';
import { answersOf } from './answers-of.ts';
import type { ActivityMessage } from './decide.ts';
import type { IssueInput } from './session-input.ts';
import { openRequest } from '../../attempts/requests/queries.ts';
import { startWork } from './start-work.ts';

/** A stop request older than this does not affect work that began after it. */
const STOP_HOLDS_MS = 10 * 60_000;

/**
 * Handles a person's message in a session: a stop request, an answer to the agent's question, or a
 * message that steers the agent or starts a resting issue again. Returns the reply.
 */
export async function handlePrompt(
  deps: Pick<Deps, 'db' | 'clock' | 'connections' | 'config' | 'trackers' | 'wake'>,
  issue: IssueRow,
  input: IssueInput,
): Promise<ActivityMessage | null> {
  if (input.prompt?.stop === true) return stop(deps, issue, input);
  if (input.message === null) return null;
  const asked = await openRequest(deps.db, issue.current_attempt_id);
  const isAbout = asked?.plan == null || (input.atMs ?? asked.asked_at_ms) >= asked.asked_at_ms;
  if (asked !== null && isAbout && !asked.questions.some(({ isSecret }) => isSecret)) {
    const { text } = input.message;
    const answers =
      asked.plan === null ? answersOf(asked.questions, text) : { [PLAN_DECISION]: [text] };
    try {
      await answerRequest(deps, { requestId: asked.request_id, answers, caller: input.caller });
      const isPlan = asked.plan !== null;
      const body = isPlan ? 'Your decision is stored.' : 'Your answer is passed on to the agent.';
      return { type: 'thought', body };
    } catch (error) {
      // The question was answered elsewhere or has expired, so this is a regular message.
      if (!(error instanceof AppError && error.code === 'conflict')) throw error;
    }
  }
  await startWork(deps, issue, input);
  const roles = deps.trackers.get(issue.tracker)?.stateRoles();
  const isOver = roles !== undefined && isOneOf(issue.state, roles.terminal);
  const body =
    issue.status === 'running'
      ? 'Passed on to the agent.'
      : isOver
        ? `The issue is in ${issue.state}, so nothing begins: move it to an active state, and the agent hears this.`
        : 'Noted: the agent hears it with its next attempt.';
  return { type: 'thought', body };
}

async function stop(
  deps: Pick<Deps, 'db' | 'clock' | 'connections' | 'config' | 'wake'>,
  issue: IssueRow,
  input: IssueInput,
): Promise<ActivityMessage | null> {
  const attempt = await currentAttempt(deps.db, issue);
  const atMs = input.atMs ?? deps.clock.nowMs();
  const isLate = deps.clock.nowMs() - atMs > STOP_HOLDS_MS;
  if (isLate && attempt !== null && attempt.queued_at_ms > atMs) return null;
  try {
    await abortIssue(deps, { identifier: issue.identifier, caller: input.caller });
    // For an issue that had stopped before, its new status is the reply.
    const hadStopped = issue.status === 'blocked' || issue.status === 'failed';
    return hadStopped ? null : { type: 'thought', body: 'Stopping the agent.' };
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'conflict')) throw error;
    return { type: 'response', body: 'Nothing is running.' };
  }
}
