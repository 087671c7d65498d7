import { type CallValue, Calls } from '@switchyard/shared/protocol/calls';
import type { ControlPlaneMessage, RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { CodeHostError } from '../../ports/code-host/code-host.ts';
import type { Deps } from '../../deps.ts';
import { holdsLease, speaksFor } from '../leases/holds-lease.ts';
import { runnerWithAttempts } from '../queries.ts';
import { sealFor } from '../session/seal-secrets.ts';
import type { RunnerSession } from '../session/runner-session.ts';
import { refusal } from './refusal.ts';

/** Longest time for which a runner reuses credentials, so that a replaced token is soon unused. */
const MAX_REUSE_MS = 5 * 60_000;
/** Time for which git itself may still use a token. */
const MARGIN_MS = 5 * 60_000;

/**
 * Answers asynchronously: the code host may be slow, and leases must be renewed meanwhile.
 * Credentials are given only for the repository of an attempt that this runner holds, with the
 * submodules that its route names, or of a call that the runner is to answer.
 */
export function answerGitCredentials(
  deps: Deps,
  session: RunnerSession,
  message: RunnerMessageOf<'call'>,
): void {
  const { callId } = message;
  const { runnerId } = session;
  deps.background.run('credentials for git', async () => {
    const answer = await answerOf(deps, session, message).catch((error: unknown) => {
      // A code host's message contains no secret; other errors are not passed on.
      const known = error instanceof CodeHostError;
      if (!known) deps.errors.capture(error, { operation: 'credentials for git' });
      // An error that only a person can fix is not retried.
      const code = known && !error.retryable ? 'host_auth_failed' : 'failed';
      return refusal(callId, code, known ? error.message : 'the credentials are not to be had');
    });
    deps.connections.send(runnerId, [answer]);
  });
}

async function answerOf(
  deps: Pick<Deps, 'db' | 'clock' | 'connections' | 'config' | 'service' | 'codeHosts'>,
  session: RunnerSession,
  { callId, params: given }: RunnerMessageOf<'call'>,
): Promise<ControlPlaneMessage> {
  const params = Calls['git.credentials'].params.safeParse(given);
  if (!params.success) return refusal(callId, 'INVALID', 'malformed parameters');
  const { repositoryUrl } = params.data;
  const { runner, held } = await runnerWithAttempts(deps.db, session.runnerId);
  if (runner === null || !speaksFor(session, runner)) {
    return refusal(callId, 'REFUSED', 'this session is over');
  }
  const routes = deps.config.latest().repos;
  const isOf = (workUrl: string): boolean =>
    workUrl === repositoryUrl ||
    routes.some(({ url, submodules }) => url === workUrl && submodules?.includes(repositoryUrl));
  const works = held.some(
    (attempt) =>
      isOf(attempt.repository_url) &&
      holdsLease(deps, session, { attempt, runner, epoch: attempt.epoch }),
  );
  if (!works && !deps.connections.concerns(runner.runner_id, repositoryUrl)) {
    const why = 'this runner holds no attempt and no call of this repository';
    return refusal(callId, 'REFUSED', why);
  }
  const host = deps.codeHosts.find((candidate) => candidate.serves(repositoryUrl));
  const credentials = (await host?.gitCredentials?.(repositoryUrl)) ?? null;
  if (credentials === null) return result(callId, { sealed: null, reusableMs: 0 });
  const { username, password, expiresAtMs } = credentials;
  const leftMs = expiresAtMs === null ? MAX_REUSE_MS : expiresAtMs - deps.clock.nowMs() - MARGIN_MS;
  return result(callId, {
    sealed: await sealFor(runner, { username, password }),
    reusableMs: Math.max(0, Math.min(MAX_REUSE_MS, leftMs)),
  });
}

function result(callId: string, value: CallValue<'git.credentials'>): ControlPlaneMessage {
  return { type: 'result', callId, ok: true, value };
}
