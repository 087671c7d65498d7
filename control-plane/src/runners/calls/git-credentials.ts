import { type CallValue, Calls } from '@switchyard/shared/protocol/calls';
import type { ControlPlaneMessage, RunnerMessageOf } from '@switchyard/shared/protocol/messages';
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
 * Credentials for git, sealed for the runner. They are given only for the repository of an attempt
 * that this runner holds, with the submodules that its route names, or of a call that the runner is
 * to answer.
 */
export async function gitCredentials(
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
