import type { ControlPlaneMessage, RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { CodeHostError } from '../../ports/code-host/code-host.ts';
import type { Deps } from '../../deps.ts';
import type { RunnerSession } from '../session/runner-session.ts';
import { refusal } from './refusal.ts';

/**
 * Answers a call of a runner when its result is there: code hosts and trackers may be slow, and
 * leases must be renewed meanwhile.
 */
export function answerLater(
  deps: Pick<Deps, 'background' | 'errors' | 'connections'>,
  { runnerId }: Pick<RunnerSession, 'runnerId'>,
  { callId, method, attemptId }: RunnerMessageOf<'call'>,
  work: () => Promise<ControlPlaneMessage>,
): void {
  const operation = `answer to ${method}`;
  deps.background.run(operation, async () => {
    const answer = await work().catch((error: unknown) => {
      // A code host's message contains no secret; other errors are not passed on. One that only a
      // person can fix is not retried.
      if (error instanceof CodeHostError)
        return refusal(callId, error.retryable ? 'failed' : 'host_auth_failed', error.message);
      deps.errors.capture(error, { operation, attemptId });
      return refusal(callId, 'failed', 'the control plane is in trouble; try again later');
    });
    deps.connections.send(runnerId, [answer]);
  });
}
