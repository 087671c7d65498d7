import { Calls } from '@switchyard/shared/protocol/calls';
import type { ControlPlaneMessage, RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import type { callTool } from '../../attempts/tools/call-tool.ts';
import type { Bound, Deps } from '../../deps.ts';
import { holdsLease } from '../leases/holds-lease.ts';
import { attemptIssueAndRunner } from '../queries.ts';
import type { RunnerSession } from '../session/runner-session.ts';
import { refusal } from './refusal.ts';

/** Calls a tool for the attempt whose lease the runner holds. */
export async function callToolOfAttempt(
  deps: Pick<Deps, 'db' | 'clock' | 'service'> & { callTool: Bound<typeof callTool> },
  session: RunnerSession,
  { callId, params: given, attemptId, epoch }: RunnerMessageOf<'call'>,
): Promise<ControlPlaneMessage> {
  const params = Calls['tool.call'].params.safeParse(given);
  if (!params.success || attemptId === undefined || epoch === undefined) {
    return refusal(callId, 'INVALID', 'malformed parameters');
  }
  const found = await attemptIssueAndRunner(deps.db, attemptId, session.runnerId);
  if (found === null) return refusal(callId, 'REFUSED', 'there is no such attempt');
  const { attempt, issue, runner } = found;
  if (!holdsLease(deps, session, { attempt, runner, epoch })) {
    return refusal(callId, 'REFUSED', 'the lease of this attempt is lost');
  }
  if (attempt.cancel_requested_at_ms !== null) {
    return refusal(callId, 'REFUSED', 'the attempt is being stopped');
  }
  const { pull_request_url: pullRequestUrl } = issue;
  const value = await deps.callTool({ attempt, pullRequestUrl }, params.data);
  return { type: 'result', callId, ok: true, value };
}
